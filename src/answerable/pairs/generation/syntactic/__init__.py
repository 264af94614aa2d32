"""Questions by transforming parsed sentences: no weights beside those that rank them."""
