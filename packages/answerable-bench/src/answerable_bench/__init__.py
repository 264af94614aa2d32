"""Benchmarks made from your own text: questions that cross the border, and queries for whole sets."""
