"""Learning which passages are asked about, which spans are answers, what asks for them, and what matches questions (PAQ)."""
