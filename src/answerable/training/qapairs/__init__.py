"""Learning which passages are asked about, which spans are answers, what asks, and what matches questions (PAQ)."""
