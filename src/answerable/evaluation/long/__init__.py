"""Data sets as long documents, with questions whose evidence stands in them: what walks are learned and judged by."""
