"""Questions worked out with their answers: made, filtered and kept, matched with what is asked, and the early exit of
an ask that they allow.
"""
