"""Words, vectors and fusion by rank; what the retriever searches and remembers for one ask. All of it can be made
again from the store.
"""
