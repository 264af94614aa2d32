"""What lies elsewhere: an enclave on another machine behind the same search, and a language model behind an address."""
