"""The beam on corpora small enough to work out by hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from answerable.chains.beam import BeamSettings, foremost, gather
from answerable.chains.covering import COVERED, NAMED
from answerable.encoders.encoder import Asked, Vectors
from answerable.encoders.expansion import expanded_text
from answerable.errors import SettingsError
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.privacy.flow import first_query
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import PUBLIC, Asker, Chain, Evidence, Hit, Passage, Privacy, Query, Skill
from tests.laws.worlds import MemoryEnclave, Sent, TinyEncoder, passage

MAIL = frozenset({"mail"})
ME = Asker()
TEXTS = {
    "wiki": ["LAMP Sven", "OSLO Tower", "PARIS Sven"],
    "mail": ["Sven OSLO", "Tower LAMP"],
}


def _gathered(
    question: str,
    beam: BeamSettings,
    privacy: Privacy = Privacy.DOCUMENT,
    asker: Asker = ME,
    texts: dict[str, list[str]] = TEXTS,
) -> tuple[Evidence, list[tuple[str, Sent]]]:
    log: list[tuple[str, Sent]] = []
    indexes = {
        name: MemoryEnclave(name, [passage(name, at, text) for at, text in enumerate(stored)], log)
        for name, stored in texts.items()
    }
    makers = {"wiki": public, "copy": mirror, "mail": private}
    table = EnclaveTable([makers[name](name) for name in texts])
    retriever = Retriever(table, indexes, TinyEncoder(), privacy, RetrieverSettings("lexical"))
    return gather(first_query(question, asker, privacy, table), retriever, dataclasses.replace(beam, ahead=0)), log


def _keys(evidence: Evidence) -> list[str]:
    return [" ".join(chain.key) for chain in evidence.chains]


ONE_HOP = ["mail01", "wiki00"]


def test_two_hops_follow_a_name() -> None:
    """LAMP finds Sven in wiki, and Sven is also in mail: every chain, longest first, ties by passage ids; all cover the
    question, and mails have titles that pages name."""
    evidence, log = _gathered("LAMP", BeamSettings(hops=2, k=2, width=5))
    assert _keys(evidence) == ["wiki00 mail00", "wiki00 mail01", "wiki00 wiki02", *ONE_HOP]
    assert [chain.score for chain in evidence.chains] == pytest.approx(
        [2 / 3 + COVERED + NAMED] * 2 + [2 / 3 + COVERED] + [1 / 3] * 2
    )
    assert [chain.label for chain in evidence.chains] == [MAIL, MAIL, PUBLIC, MAIL, PUBLIC]
    assert [(name, sent[0]) for name, sent in log] == [
        ("wiki", "LAMP"),
        ("wiki", "LAMP LAMP LAMP Sven"),
        ("mail", "LAMP"),
        ("mail", "LAMP LAMP LAMP Sven"),
        ("mail", "LAMP Tower Tower LAMP"),
    ]


def test_what_was_refused_is_in_the_hops() -> None:
    evidence, _ = _gathered("LAMP", BeamSettings(hops=2, k=2, width=5))
    (refused,) = [hop for hop in evidence.hops if hop.refused]
    assert (refused.enclave, refused.query.label, refused.hits) == ("wiki", MAIL, ())
    assert refused.query.because[0].id == "mail01"


def test_without_privacy_all_chains_compete_and_private_text_goes_anywhere() -> None:
    evidence, log = _gathered("LAMP", BeamSettings(hops=2, k=2, width=5), Privacy.NONE)
    assert _keys(evidence) == ["mail01 wiki00", "wiki00 mail00", *ONE_HOP]
    assert ("wiki", "LAMP Tower Tower LAMP") in [(name, sent[0]) for name, sent in log]
    narrow, _ = _gathered("LAMP", BeamSettings(hops=2, k=2, width=1), Privacy.NONE)
    assert _keys(narrow) == ["mail01 wiki00", "mail01"]


def test_a_width_holds_for_each_label() -> None:
    evidence, _ = _gathered("LAMP", BeamSettings(hops=2, k=2, width=1))
    assert _keys(evidence) == ["wiki00 wiki02", *ONE_HOP]


def test_the_best_chains_of_all_labels_that_lead_somewhere_are_searched_with() -> None:
    """Two wiki passages and two mails would be searched with for mail; the best two of them are, and no more."""
    texts = {"wiki": ["LAMP A B", "LAMP A B C", "A"], "mail": ["LAMP", "LAMP B", "C"]}
    evidence, log = _gathered("LAMP", BeamSettings(hops=2, k=2, width=2), texts=texts)
    assert [name for name, _ in log] == ["wiki"] * 3 + ["mail"] * 3
    refused = [hop.query.because[0].id for hop in evidence.hops if hop.refused]
    assert refused == ["mail00", "mail01"]


def test_ranking_by_enclave_keeps_the_best_of_every_path() -> None:
    """Two enclaves and a width of 2: one chain for each path."""
    evidence, _ = _gathered("LAMP", BeamSettings(hops=2, k=2, width=2, ranking="enclave"), Privacy.NONE)
    assert _keys(evidence) == ["mail01 wiki00", "wiki00 mail00", "wiki00 wiki02", *ONE_HOP]


def test_chains_of_each_path_come_in_turn_when_places_are_shared() -> None:
    """The scores of wiki are all higher; the best of mail is read second all the same."""
    texts = {"wiki": ["LAMP", "LAMP A", "LAMP A B"], "mail": ["LAMP C D E", "LAMP C D E F"]}
    shared, _ = _gathered("LAMP", BeamSettings(hops=1, k=5, width=6, ranking="enclave"), Privacy.NONE, texts=texts)
    assert _keys(shared) == ["wiki00", "mail00", "wiki01", "mail01", "wiki02"]
    overall, _ = _gathered("LAMP", BeamSettings(hops=1, k=5, width=6), Privacy.NONE, texts=texts)
    assert [chain.hits[0].passage.enclave for chain in overall.chains][:3] == ["wiki"] * 3


def test_a_share_counts_the_enclaves_the_asker_may_read() -> None:
    texts = {"wiki": ["LAMP A", "LAMP B", "LAMP C"], "mail": ["LAMP D"]}
    beam = BeamSettings(hops=1, k=5, width=3, ranking="enclave")
    everything, _ = _gathered("LAMP", beam, texts=texts)
    assert _keys(everything) == ["mail00", "wiki00", "wiki01"]
    guest, _ = _gathered("LAMP", beam, asker=Asker("guest", frozenset({"wiki"})), texts=texts)
    assert _keys(guest) == ["wiki00", "wiki01", "wiki02"]


def test_a_mirror_buys_back_what_privacy_costs() -> None:
    """From mail to public text: refused by wiki, found in a copy on the user's own host, as private as the mail."""
    texts = {"wiki": ["OSLO Fjord"], "mail": ["Sven OSLO"]}
    beam = BeamSettings(hops=2, k=2, width=5, keep_short=False)
    refused, _ = _gathered("Sven", beam, texts=texts)
    assert _keys(refused) == ["mail00"]
    found, log = _gathered("Sven", beam, texts={**texts, "copy": ["OSLO Fjord"]})
    assert _keys(found) == ["mail00 copy00"]
    assert found.chains[0].label == MAIL
    assert [sent[0] for name, sent in log if name == "wiki"] == ["Sven"]


def test_short_chains_can_be_left_out() -> None:
    evidence, _ = _gathered("LAMP", BeamSettings(hops=2, k=2, width=5, keep_short=False))
    assert _keys(evidence) == ["wiki00 mail00", "wiki00 mail01", "wiki00 wiki02"]


def test_it_stops_when_nothing_grows() -> None:
    """A chain that found nothing more is handed on, but never asked with again."""
    evidence, log = _gathered("PARIS", BeamSettings(hops=5, k=3, width=3, keep_short=False), texts={"wiki": ["PARIS"]})
    assert _keys(evidence) == ["wiki00"]
    assert len(log) == 2


def test_nothing_found_is_an_ordinary_outcome() -> None:
    evidence, _ = _gathered("nobody", BeamSettings())
    assert (evidence.chains, len(evidence.hops)) == ((), 2)
    nothing, log = _gathered("LAMP", BeamSettings(), asker=Asker("guest", frozenset()))
    assert (nothing.chains, log) == ((), [])
    assert [hop.refused for hop in nothing.hops] == ["guest is not cleared for wiki", "guest is not cleared for mail"]


def test_one_passage_is_never_twice_in_a_chain() -> None:
    evidence, _ = _gathered("LAMP Sven", BeamSettings(hops=3, k=5, width=50))
    assert {len(chain.hits) for chain in evidence.chains} == {1, 2, 3}
    assert all(len(set(chain.key)) == len(chain.key) for chain in evidence.chains)


def test_a_passage_and_its_copy_share_one_place() -> None:
    """Of what a document and its copy say, one is read, and neither beside the other."""
    evidence, _ = _gathered("LAMP", BeamSettings(hops=2, k=9, width=2), texts={"wiki": ["LAMP Sven"] * 3 + ["Sven"]})
    assert _keys(evidence) == ["wiki00 wiki03", "wiki00"]


@pytest.mark.parametrize(
    ("other", "paths"),
    [("LAMP Kari", [["copy", "wiki"], ["copy"], ["wiki"]]), ("LAMP Sven", [["copy"]])],
)
def test_two_enclaves_may_hold_passages_of_one_id(other: str, paths: list[list[str]]) -> None:
    """Two different passages, of which both are read, unless they say the same."""
    log: list[tuple[str, Sent]] = []
    texts = {"wiki": "LAMP Sven", "copy": other}
    stored = {name: dataclasses.replace(passage("x", 0, text), enclave=name) for name, text in texts.items()}
    indexes = {name: MemoryEnclave(name, [each], log) for name, each in stored.items()}
    table = EnclaveTable([public("wiki"), mirror("copy")])
    retriever = Retriever(table, indexes, TinyEncoder(), Privacy.DOCUMENT, RetrieverSettings("lexical"))
    evidence = gather(Query("LAMP"), retriever, BeamSettings(hops=2, k=2, width=5))
    assert [[hit.passage.enclave for hit in chain.hits] for chain in evidence.chains] == paths


@pytest.mark.parametrize(("name", "numbers"), [("hops", (0, 1, 1)), ("k", (1, 0, 1)), ("width", (1, 1, 0))])
def test_settings_are_checked(name: str, numbers: tuple[int, int, int]) -> None:
    with pytest.raises(SettingsError, match=f"the beam's {name} is 0"):
        BeamSettings(*numbers)


def test_the_foremost_chains_give_every_label_and_length_its_turn() -> None:
    def made(label: str, length: int, score: float) -> Chain:
        hits = tuple(
            Hit(
                Passage(f"{label}{length}{score}{i}", "d", label or "wiki", "", "", 0, 0),
                1.0,
                frozenset(),
                Skill.SINGLE,
            )
            for i in range(length)
        )
        return Chain(hits, score, frozenset({label} if label else ()))

    public = [made("", 2, 9.0), made("", 2, 8.0), made("", 2, 7.0)]
    private = [made("mail", 2, 1.0)]
    short = [made("", 1, 5.0), made("", 1, 4.0)]
    assert foremost([*public, *private, *short], 5) == (public[0], private[0], short[0], public[1], short[1])
    assert foremost([*public, *private, *short], 100)[-1] == public[2]
    assert foremost([], 3) == ()


def test_the_queries_of_a_hop_are_encoded_side_by_side() -> None:
    """None is left to be encoded by itself when it is searched with, and none is encoded that is not."""
    together: list[str] = []

    class Together(TinyEncoder):
        def encode_queries(self, queries: Sequence[Asked]) -> Vectors:
            together.extend(expanded_text(text, passages) for text, _, passages in queries)
            return super().encode_queries(queries)

    table, log, encoder = EnclaveTable([public("wiki"), private("mail")]), [], Together()
    indexes = {
        name: MemoryEnclave(name, [passage(name, at, text) for at, text in enumerate(stored)], log)
        for name, stored in TEXTS.items()
    }
    gather(Query("LAMP"), Retriever(table, indexes, encoder, settings=RetrieverSettings("dense")), BeamSettings(k=2))
    assert encoder.texts == together and set(together) == {sent[0] for _, sent in log} and len(together) > 3


def test_beams_come_from_the_least_private_label_to_the_most() -> None:
    table = EnclaveTable([public("wiki"), *map(private, ("mail", "crm", "clinic"))])
    log: list[tuple[str, Sent]] = []
    indexes = {name: MemoryEnclave(name, [passage(name, 0, f"LAMP OSLO {name}")], log) for name in table}
    door = Retriever(table, indexes, TinyEncoder(), settings=RetrieverSettings("lexical"))
    hops = gather(Query("LAMP"), door, BeamSettings(hops=3, k=2)).hops
    labels = [sorted(label) for label in dict.fromkeys(hop.query.label | table[hop.enclave].label for hop in hops)]
    assert labels == sorted(labels, key=lambda words: (len(words), words)) and len(labels) == 8


def test_numbers_of_chains_and_passages_are_checked() -> None:
    assert BeamSettings(ahead=0).ahead == 0
    with pytest.raises(SettingsError, match="the beam's ahead is -1"):
        BeamSettings(ahead=-1)


PAGES = {"wiki": ["W1 lamp W2", "W2 oil", "W3 W2 oil"], "mail": ["W2 letter"]}


def test_names_lead_to_their_pages() -> None:
    """W2 is named in the first passage; its pages are found by no word of the question."""
    plain, _ = _gathered("lamp", BeamSettings(hops=2, k=1, width=5), texts=PAGES)
    evidence, log = _gathered("lamp", BeamSettings(hops=2, k=1, width=5, link=1), texts=PAGES)
    assert "wiki00 wiki01" in set(_keys(evidence)) - set(_keys(plain))
    assert [hit.skill for chain in evidence.chains if chain.key == ("wiki00", "wiki01") for hit in chain.hits] == [
        Skill.SINGLE,
        Skill.MENTION,
    ]
    assert [sent[0] for name, sent in log if name == "wiki" and sent[2] == "entity"] == ["W1", "W2"]


def test_a_name_leads_to_the_best_pages_of_all_enclaves_together() -> None:
    texts = {"wiki": ["W1 lamp W2", "W2 oil"], "copy": ["W2 oil too"]}
    evidence, _ = _gathered("lamp", BeamSettings(hops=2, k=1, width=9, link=1, keep_short=False), texts=texts)
    assert [chain.key[1] for chain in evidence.chains if chain.hits[1].skill is Skill.MENTION] == ["copy00"]


def test_a_name_in_private_text_is_asked_of_no_public_enclave() -> None:
    texts = {"wiki": ["W2 oil"], "mail": ["W1 lamp W2"]}
    evidence, log = _gathered("lamp", BeamSettings(hops=2, k=1, width=5, link=1), texts=texts)
    assert not [sent for name, sent in log if name == "wiki" and sent[2] == "entity"]
    refused = [hop for hop in evidence.hops if hop.skill is Skill.MENTION and hop.refused]
    assert {hop.enclave for hop in refused} == {"wiki"}


def test_what_both_lead_to_is_promoted() -> None:
    beam = BeamSettings(hops=1, k=2, width=5, link=1)
    plain, _ = _gathered("W2 oil", beam, texts=PAGES)
    promoted, _ = _gathered("W2 oil", dataclasses.replace(beam, alpha=3.0), texts=PAGES)
    before, after = ({chain.key[0]: chain.score for chain in one.chains} for one in (plain, promoted))
    assert after["wiki01"] == pytest.approx(3 * before["wiki01"])
    assert after["wiki02"] == pytest.approx(before["wiki02"])
