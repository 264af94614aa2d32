"""Learning which passages are asked about, and which spans of them are answers (PAQ, sections 3.1 and 3.2)."""
