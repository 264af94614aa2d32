"""Parts of a question that could travel on their own where the whole may not (Arora et al. 2023, footnote 13).

A bridge question says in a relative clause what must be found first, and names things that public text may be about.
Both are proposed by rule, from the words of the question alone; which of them may be told, only the user can know.
"""

from __future__ import annotations

import re

from answerable.encoders.expansion import named_spans

_RELATIVE = r"(?:(?:of|in|on|at|by|for|to|from|with|after|beside|near) )?(?:who|whom|whose|which|where|that(?! of\b))\b"
_ASKING = r"(?:who|whose|what|when|where|which|how|why)\b"
_JOINTS = re.compile(rf"(?:,? +)(?={_RELATIVE})|[;,] *(?:and|or|but) +|,? +and +(?={_ASKING})", re.IGNORECASE)
_OPENING = re.compile(rf"^(?:{_RELATIVE}|{_ASKING}) +", re.IGNORECASE)
_ASKED = frozenset("what how whose why whom did do does is are was were has have had can could will would".split())


def parts(question: str) -> tuple[str, ...]:
    """Clauses of a question, then the names in it, each once and none of them the whole; often there are none."""
    clauses = [_OPENING.sub("", clause).strip(" ,;?.!") for clause in _JOINTS.split(question)]
    spans = [(start, end) for start, end in named_spans(question) if start > 0 or " " in question[start:end]]
    names = [question[start:end] for start, end in spans]
    found = dict.fromkeys(clause for clause in clauses if " " in clause)
    found |= dict.fromkeys(name for name in names if name.lower() not in _ASKED)
    whole = {question, question.strip(" ?"), _OPENING.sub("", question).strip(" ,;?.!")}
    return tuple(part for part in found if part not in whole)
