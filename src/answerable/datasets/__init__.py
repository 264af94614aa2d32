"""Every format of questions with gold answers, read once for evaluation and training. The engine cannot see them."""
