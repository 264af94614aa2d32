"""Question-answer pairs worked out before they are asked (PAQ and RePAQ, Lewis et al. 2021)."""
