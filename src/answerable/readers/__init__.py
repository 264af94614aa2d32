"""Chains to candidate answers; and two things that a question asks about, each read by itself."""
