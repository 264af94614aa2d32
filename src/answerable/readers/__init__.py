"""Chains to candidate answers: two things that a question asks about each by itself, and numbers beside bounds."""
