"""A store, words and vectors in PostgreSQL with pgvector: for teams, who run it, guard it and keep copies of it."""
