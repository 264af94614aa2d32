"""From a query in words to its tree: tokens, connectives, a chart of readings, and weights that rank them."""
