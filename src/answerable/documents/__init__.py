"""One document: asked alone or walked by its outline; conversations, and rules with their conditions."""
