"""A whole table asked: programs that select rows and say, count, add or compare them, ranked by learned weights."""
