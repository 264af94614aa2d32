"""Several hops: a beam for each label, what an ask would send where, what a text names, and what a question
that follows on is asked with."""
