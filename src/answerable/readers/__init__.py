"""Chains to candidate answers."""
