"""Which pairs are one and the same: those of one passage whose questions are alike but for case and punctuation."""

from __future__ import annotations

from hashlib import blake2b

from answerable.text import normalise_question


def pair_id(enclave: str, passage_id: str, question: str) -> str:
    """The id of the pair with this question made of a passage: 128 bits of the three, as hexadecimal digits.

    The question counts as `text.normalise_question` has it, so that a question made twice is one pair.
    """
    content = "\0".join((enclave, passage_id, normalise_question(question)))
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
