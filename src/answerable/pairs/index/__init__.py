"""Pairs looked up by their questions: exactly, in a graph, or by codes, in several sizes."""
