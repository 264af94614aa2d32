"""Files to documents, passages and tables, the store they lie in, and citations checked against it word for word."""
