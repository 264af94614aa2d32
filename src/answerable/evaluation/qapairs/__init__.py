"""What is measured of question-answer pairs: how they were made, what they cover, and answers by them (PAQ, 5)."""
