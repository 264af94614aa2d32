"""The kinds of enclave, and what a table of them refuses."""

from __future__ import annotations

import pytest

from answerable.errors import EnclaveError
from answerable.privacy.enclaves import QUESTION, EnclaveTable, ladder, mirror, private, public
from answerable.privacy.flow import decide
from answerable.types import EVERYTHING, PUBLIC, Asker, Enclave, Privacy, Query
from answerable.workspace.declarations import Declaration, Kind


def test_kinds() -> None:
    assert public("wiki") == Enclave("wiki", PUBLIC, PUBLIC)
    assert mirror("copy") == Enclave("copy", PUBLIC, EVERYTHING)
    assert private("mail") == Enclave("mail", frozenset({"mail"}), EVERYTHING)
    assert private("crm", admits=["mail"]) == Enclave("crm", frozenset({"crm"}), frozenset({"crm", "mail"}))


def test_order_is_public_first_whatever_the_order_of_the_arguments() -> None:
    enclaves = [private("mail"), mirror("zoo"), private("clinic"), public("wiki")]
    assert list(EnclaveTable(enclaves)) == list(EnclaveTable(enclaves[::-1])) == ["wiki", "zoo", "clinic", "mail"]


@pytest.mark.parametrize("name", ["a", "wiki", "mail-2024", "0_x", "a" * 64])
def test_good_names(name: str) -> None:
    assert name in EnclaveTable([private(name)])


@pytest.mark.parametrize(
    "name", ["", "Wiki", "-a", "_a", "a b", "a/b", "..", "*", "é", "a\n", "a" * 65, QUESTION, "all"]
)
def test_bad_names(name: str) -> None:
    with pytest.raises(EnclaveError, match="cannot name an enclave"):
        EnclaveTable([public(name)])


@pytest.mark.parametrize(
    ("enclaves", "message"),
    [
        ([public("wiki"), private("wiki")], "two enclaves are named 'wiki'"),
        ([Enclave("x", frozenset({"mail"}), EVERYTHING)], "the label of x carries 'mail', which is no enclave"),
        ([private("crm", admits=["mial"]), private("mail")], "crm admits 'mial', which is no private enclave"),
        ([private("crm", admits=["wiki"]), public("wiki")], "crm admits 'wiki', which is no private enclave"),
        ([private("crm", admits=["*"])], "crm admits everything and single words at once"),
        ([Enclave("crm", frozenset({"crm"}))], "crm holds crm but does not admit it"),
    ],
)
def test_conflicts(enclaves: list[Enclave], message: str) -> None:
    with pytest.raises(EnclaveError, match=message):
        EnclaveTable(enclaves)


def test_an_unknown_name_lists_the_known_ones() -> None:
    table = EnclaveTable([public("wiki"), private("mail")])
    assert len(EnclaveTable()) == 0 and len(EnclaveTable([public("wiki"), private("mail")])) == 2
    with pytest.raises(EnclaveError, match=r"no enclave is named 'mial' \(known: wiki, mail\)"):
        table.find("mial")
    with pytest.raises(EnclaveError, match=r"cleared for 'mial', which is no enclave \(known: wiki, mail\)"):
        table.check_asker(Asker("guest", frozenset({"wiki", "mial"})))
    named = [private("crm", admits=["mial"]), private("mail"), public("wiki")]
    with pytest.raises(EnclaveError, match=r"no private enclave \(known: crm, mail\)"):
        EnclaveTable(named)
    with pytest.raises(EnclaveError, match="carry 'wiki', which is no private enclave"):
        table.check_asker(Asker(label=frozenset({"wiki"})))
    table.check_asker(Asker(clearance=frozenset({"mail"}), label=frozenset({"mail", QUESTION})))
    with pytest.raises(EnclaveError, match="no enclave yet"):
        EnclaveTable().find("wiki")


LEVELS = ("public", "internal", "secret")


@pytest.mark.parametrize(("quoted", "reaches"), [(0, 3), (1, 2), (2, 1)])
def test_a_ladder_lets_nothing_down(quoted: int, reaches: int) -> None:
    """What quotes a level may be sent to that level and above: the star property."""
    table = EnclaveTable(ladder(*LEVELS))
    query = Query("q", label=table[LEVELS[quoted]].label)
    sent = [name for name, enclave in table.items() if decide(query, enclave, Privacy.DOCUMENT).allowed]
    assert sent == list(LEVELS[len(LEVELS) - reaches :])


@pytest.mark.parametrize("cleared", range(4))
def test_a_ladder_lets_nobody_read_up(cleared: int) -> None:
    """An asker cleared up to a level reads that level and below: simple security."""
    asker = Asker("a", frozenset(LEVELS[:cleared]))
    table = EnclaveTable(ladder(*LEVELS))
    read = [name for name, enclave in table.items() if decide(Query("q", asker), enclave, Privacy.DOCUMENT).allowed]
    assert read == list(LEVELS[:cleared])


@pytest.mark.parametrize("cleared", range(4))
@pytest.mark.parametrize("quoted", range(3))
@pytest.mark.parametrize("asked", range(3))
def test_the_whole_table_of_a_ladder(cleared: int, quoted: int, asked: int) -> None:
    """Bell and LaPadula (1976): a search reads the level that is asked, and writes what was quoted to it.

    Simple security: asked <= cleared, no read up. Star property: quoted <= asked, no write down. Under query privacy
    the question is one of the second level, since the lowest admits none.
    """
    table = EnclaveTable(ladder(*LEVELS))
    asker = Asker("a", frozenset(LEVELS[:cleared]))
    query = Query("q", asker, table[LEVELS[quoted]].label)
    below = asked < cleared
    assert decide(query, table[LEVELS[asked]], Privacy.DOCUMENT).allowed == (below and quoted <= asked)
    assert decide(query, table[LEVELS[asked]], Privacy.QUERY).allowed == (below and max(quoted, 1) <= asked)
    assert decide(query, table[LEVELS[asked]], Privacy.NONE).allowed == below


def test_a_ladder_is_declared_with_what_a_level_admits() -> None:
    """The file of the documentation says the same as `ladder`."""
    declared = [
        Declaration("public", Kind.PUBLIC, frozenset()),
        Declaration("internal", Kind.PRIVATE, frozenset({QUESTION})),
        Declaration("secret", Kind.PRIVATE, frozenset({"internal", QUESTION})),
    ]
    assert tuple(one.enclave() for one in declared) == ladder(*LEVELS)
