"""A whole table asked: programs that select rows and say, count, add or compare them, ranked by learned weights; and
two things that a question compares, as rows of one column."""
