"""Systems that find whole sets, measured beside each other (Malaviya et al. 2023, sections 4 and 5)."""
