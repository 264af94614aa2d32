"""One long document: its paragraphs encoded, walked by its outline and read; conversations, and rules with their
conditions.
"""
