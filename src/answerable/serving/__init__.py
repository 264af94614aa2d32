"""One enclave over HTTP for other machines (extra `serve`)."""
