"""Words and vectors on one scale; what the retriever searches and remembers for one ask. All of it can be made
again from the store, or is part of it: in PostgreSQL (`postgres/`).
"""
