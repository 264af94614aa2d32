"""A benchmark of queries whose answers are sets, from documents with categories (QUEST, Malaviya et al. 2023)."""
