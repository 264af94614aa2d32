"""May this query go there? The only place that decides: pure functions, no state, no text in what they say.

After Bell and LaPadula (1976), as PAIR uses them (Arora et al. 2023, sections 3.1 and 3.2):
read if the enclave is in the asker's clearance (no read up), send if the query's label is within what the enclave
admits (no write down), or if grants of the user lift what it does not admit (discretionary access). Labels join as text
is read: `Query.follow`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from answerable.privacy.enclaves import QUESTION, EnclaveTable
from answerable.privacy.grants import Grant
from answerable.types import EVERYTHING, PUBLIC, Asker, Enclave, Label, Privacy, Query


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether something is allowed, and why, in words fit for a trace: names of enclaves, never their text.

    `grants`: the ids of those by which it is allowed, where the enclave itself would not admit it.
    """

    allowed: bool
    reason: str
    grants: tuple[str, ...] = ()


def decide(
    query: Query, enclave: Enclave, privacy: Privacy, grants: Iterable[Grant] = (), at: datetime | None = None
) -> Decision:
    """Whether this query may be asked of this enclave: it must be readable by the asker and may be sent there.

    Grants count that are in force `at` that moment; without a moment none is.
    """
    reading = readable(query.asker, enclave)
    return sendable(query, enclave, privacy, grants, at) if reading.allowed else reading


def readable(asker: Asker, enclave: Enclave) -> Decision:
    """No read up. An enclave that a clearance does not name is denied; a clearance of None names all. Never lifted.

    A language model holds nothing that could be read.
    """
    if enclave.answers:
        return Decision(True, f"{enclave.name} holds no text")
    if asker.clearance is None:
        return Decision(True, f"{asker.name} may read every enclave")
    if enclave.name in asker.clearance:
        return Decision(True, f"{asker.name} is cleared for {enclave.name}")
    return Decision(False, f"{asker.name} is not cleared for {enclave.name}")


def sendable(
    query: Query, enclave: Enclave, privacy: Privacy, grants: Iterable[Grant] = (), at: datetime | None = None
) -> Decision:
    """No write down: the query's label must be a subset of what the enclave admits. `Privacy.NONE` lifts it.

    Grants lift single words of the label: the enclave must admit each of the others. Where they do not suffice
    together, the decision is what it is without them.

    What the asker and the privacy mode add to a question's label is joined here again, so that a query built without
    `first_query` is not sent further than one built with it.
    """
    if privacy is Privacy.NONE:
        return Decision(True, "privacy is off: nothing is withheld")
    carried = query.label | _label_of_question(privacy, query.asker)
    what = f"carries {_words(carried)}" if carried else "carries only public text"
    if enclave.admits == EVERYTHING:
        return Decision(True, f"{what}; {enclave.name} admits everything")
    bound = f"{enclave.name} admits {_words(enclave.admits) if enclave.admits else 'only public text'}"
    beyond = carried - enclave.admits
    used = _covering(beyond, query, enclave, grants, at) if beyond else ()
    if used:
        return Decision(True, f"{what}; {bound}, and {_words(beyond)} by grant {', '.join(used)}", used)
    return Decision(not beyond, f"{what}; {bound}")


def outgrown(query: Query, enclave: Enclave, privacy: Privacy, enclaves: EnclaveTable) -> bool:
    """Whether a query of the same ask could come to carry what this enclave does not admit, grants aside.

    The answer is the same for every query of an ask: it depends on the asker, the mode and the table alone, never on
    what was found.
    """
    reached = reachable(replace(query, label=query.label | _label_of_question(privacy, query.asker)), enclaves)
    return not sendable(Query("", query.asker, reached), enclave, privacy).allowed


def reachable(query: Query, enclaves: EnclaveTable) -> Label:
    """All that an answer to a query could come to carry: by the asker and the table alone, whatever is found.

    That nothing was found in an enclave, and that an answer so carries less, tells of it. So what is asked with an
    answer later on takes this label, not the answer's.
    """
    return query.label.union(*(one.label for one in enclaves.values() if readable(query.asker, one).allowed))


def question_label(privacy: Privacy, asker: Asker, enclaves: EnclaveTable) -> Label:
    """The label a question starts with: the asker's own, and under query privacy the word `QUESTION`.

    `QUESTION` is admitted by hosts that admit EVERYTHING (mirrors and private enclaves on the user's own machine), by
    those that name it, and by the upper levels of a `ladder`; never by a public enclave. So under query privacy the
    question stays within private hosts, as in PAIR (section 5, "Query Privacy").
    Raises EnclaveError when the asker names an enclave that does not exist.
    """
    enclaves.check_asker(asker)
    return _label_of_question(privacy, asker)


def first_query(text: str, asker: Asker, privacy: Privacy, enclaves: EnclaveTable) -> Query:
    """The query an ask begins with; `Query.follow` is the only way to the next. Raises as `question_label` does."""
    return Query(text, asker, question_label(privacy, asker, enclaves))


def _covering(
    words: Label, query: Query, enclave: Enclave, grants: Iterable[Grant], at: datetime | None
) -> tuple[str, ...]:
    """The ids of grants that together lift all these words from this query, the first for each; () when some stay."""
    used, left = [], words
    for grant in grants:
        lifted = left & _lifted(grant, query, enclave, at)
        if lifted:
            used.append(grant.id)
            left -= lifted
    return () if left else tuple(used)


def _lifted(grant: Grant, query: Query, enclave: Enclave, at: datetime | None) -> Label:
    """The words this grant lifts from this query: none, unless the asker, the enclave and the moment are its own."""
    if (grant.asker, grant.to) != (query.asker.name, enclave.name) or not grant.in_force(at):
        return PUBLIC
    if grant.text is not None and (query.because or query.text != grant.text):
        return PUBLIC
    return grant.lifts if query.because else grant.lifts | grant.before_reading


def _label_of_question(privacy: Privacy, asker: Asker) -> Label:
    return asker.label | {QUESTION} if privacy is Privacy.QUERY else asker.label


def _words(label: Label) -> str:
    """`{"mail", "question"}` to "mail and a private question"."""
    *others, last = [*sorted(label - {QUESTION}), *(["a private question"] if QUESTION in label else [])]
    return f"{', '.join(others)} and {last}" if others else last
