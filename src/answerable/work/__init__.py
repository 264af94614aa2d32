"""Work in blocks, done in this process, in several of this machine or over a Ray cluster, by who is cleared for it."""
