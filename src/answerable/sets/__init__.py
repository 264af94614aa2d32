"""Whole sets: queries with "and", "or" and "not" as expressions, and their members with evidence (QUEST)."""
