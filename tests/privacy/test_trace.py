"""What a viewer is shown of the hops, and what they are not."""

from __future__ import annotations

import json
from dataclasses import replace

from answerable.privacy.enclaves import QUESTION, EnclaveTable, private, public
from answerable.privacy.trace import grouped, records, redacted, withheld
from answerable.types import PUBLIC, Asker, Enclave, Hit, Hop, Label, Passage, Query, Skill

WIKI, MAIL = public("wiki"), private("mail")
TABLE = EnclaveTable([WIKI, MAIL])
ME, GUEST = Asker(), Asker("guest", frozenset({"wiki"}))


def _passage(enclave: str, at: int) -> Passage:
    document = f"{enclave}-{at}"
    return Passage(f"{document}@0-9", document, enclave, f"title of {enclave} {at}", f"text of {enclave}", 0, 9)


def _hit(enclave: Enclave, at: int) -> Hit:
    return Hit(_passage(enclave.name, at), 0.5, enclave.label, Skill.SINGLE)


def _hop(
    enclave: Enclave, hits: int, because: tuple[Hit, ...] = (), refused: str | None = None, label: Label = PUBLIC
) -> Hop:
    query = Query("secret question", ME, label).follow(because)
    skill = Skill.EXPANDED if because else Skill.SINGLE
    return Hop(
        query, skill, enclave.name, refused, tuple(_hit(enclave, at) for at in range(hits)), 0.002, refused or OPEN
    )


OPEN = "carries nothing private"
WHY = "carries mail; wiki admits only public text"
HOPS = (
    _hop(WIKI, 2),
    _hop(WIKI, 1, (_hit(WIKI, 0),)),
    _hop(WIKI, 2, (_hit(WIKI, 1),)),
    _hop(MAIL, 1),
    _hop(MAIL, 0, (_hit(WIKI, 0),)),
    _hop(WIKI, 0, (_hit(MAIL, 0),), WHY),
    _hop(WIKI, 0, (_hit(MAIL, 1),), WHY),
)


def test_queries_of_a_kind_stand_together() -> None:
    kinds = [(len(group), group[0].enclave, len(group[0].query.because), group[0].refused) for group in grouped(HOPS)]
    assert kinds == [
        (1, "wiki", 0, None),
        (2, "wiki", 1, None),
        (1, "mail", 0, None),
        (1, "mail", 1, None),
        (2, "wiki", 1, WHY),
    ]


def test_records_are_json_without_text() -> None:
    rows = records(HOPS, ME, TABLE)
    assert json.loads(json.dumps(rows)) == rows
    assert "text of" not in json.dumps(rows)
    named = {"passage": "wiki-0@0-9", "document": "wiki-0", "enclave": "wiki", "title": "title of wiki 0"}
    assert rows[1] == {
        "label": [],
        "skill": "expanded",
        "enclave": "wiki",
        "because": [named],
        "refused": None,
        "reason": "carries nothing private",
        "held": None,
        "ahead": 0,
        "shards": [],
        "missing": [],
        "hits": [{**named, "score": 0.5}],
        "seconds": 0.002,
    }
    assert [rows[-1][key] for key in ("label", "refused", "hits")] == [["mail"], WHY, []]


def test_hops_of_one_kind_stand_together() -> None:
    """What was asked, at which hop, of whom, with which label, and why: mentions are one kind, whatever they name."""
    first, again, other = _hop(WIKI, 2), _hop(WIKI, 1), replace(_hop(WIKI, 1), query=Query("a part", ME))
    refused = _hop(WIKI, 0, refused=WHY)
    later, latest = _hop(WIKI, 1, (_hit(WIKI, 0),)), _hop(WIKI, 2, (_hit(WIKI, 1),))
    named = replace(later.query, text="a name"), replace(latest.query, text="another")
    kinds = [
        [first, again],
        [other],
        [_hop(MAIL, 1)],
        [later, latest],
        [_hop(WIKI, 1, label=frozenset({"mail"}))],
        [refused],
        [replace(refused, reason="another rule")],
        [replace(refused, held=3), replace(refused, held=0)],
        [replace(first, skill=Skill.MATCH)],
        [replace(later, query=query, skill=Skill.MENTION) for query in named],
    ]
    assert grouped(hop for kind in kinds for hop in kind) == kinds
    assert grouped([other, first, again]) == [[other], [first, again]]


def test_a_guest_learns_nothing_of_mail_not_even_how_much_there_was() -> None:
    """Neither what was read there nor what was searched for with it; the same is shown when mail held nothing."""
    shown = json.dumps(records(HOPS, GUEST, TABLE))
    assert "mail" not in shown
    assert redacted(HOPS, GUEST, TABLE) == HOPS[:3]
    assert withheld(GUEST, TABLE) == ("mail",)
    assert records(HOPS, GUEST, TABLE) == records(HOPS[:3], GUEST, TABLE)


def test_a_private_question_is_shown_to_its_asker_only() -> None:
    private_question = (_hop(MAIL, 1, label=frozenset({QUESTION})),)
    other = Asker("other", None)
    assert redacted(private_question, ME, TABLE) == private_question
    assert redacted(private_question, other, TABLE) == ()
    assert redacted((_hop(MAIL, 1),), other, TABLE) == (_hop(MAIL, 1),)


def test_where_an_enclave_lies_is_told_its_owner_alone() -> None:
    hop = replace(
        _hop(WIKI, 0), shards=("http://a", "http://b"), missing=("wiki, in part at http://b, could not be asked",)
    )
    for viewer, shards in ((ME, ["http://a", "http://b"]), (GUEST, [])):
        (row,) = records([hop], viewer, TABLE)
        assert (row["shards"], row["missing"]) == (shards, list(hop.missing))
