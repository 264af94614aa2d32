"""Several hops: a beam for each label, what an ask would send where, and what a text names."""
