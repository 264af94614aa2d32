"""Learning whether documents fit constraints (QUEST, section 4.3)."""
