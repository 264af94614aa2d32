"""Whole sets: a query as a tree of "and", "or" and "minus", candidates, a judge of constraints, the sentences that
show why.
"""
