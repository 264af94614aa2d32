"""From passages to pairs: select, extract, generate, filter (PAQ, section 3)."""
