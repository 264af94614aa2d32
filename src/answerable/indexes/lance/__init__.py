"""A store, words and vectors in LanceDB: tables in a folder or on object storage, for teams without a server."""
