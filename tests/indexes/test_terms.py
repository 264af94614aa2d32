"""Words by language: as passages have them, and as a query may mean them."""

from __future__ import annotations

from pathlib import Path

from answerable.indexes.in_memory import HeldPassages
from answerable.indexes.lexical import Bm25Index, build_bm25, extend_bm25
from answerable.indexes.terms import asked, tokens
from answerable.types import Passage
from tests.indexes.test_lexical import built, opened, rows, silent

DE = "Die Wärter der Leuchttürme wohnten auf den Inseln, und sie haben dort ihre Häuser gebaut."
EN = "The keepers of the lighthouses lived on the islands, and they have built their houses there."
FR = "Les gardiens des phares habitaient sur les îles, et ils ont construit leurs maisons là-bas."
ES = "Los fareros de los faros vivían en las islas, y allí construyeron las casas de sus familias."
ZH = "灯塔的看守人住在岛上，他们在那里建造了自己的房子。"
EVERY = {"de": DE, "en": EN, "es": ES, "fr": FR, "zh": ZH}


def test_a_passage_is_stemmed_in_its_language() -> None:
    assert tokens(DE, "de")[:5] == ["die", "wart", "der", "leuchtturm", "wohnt"]
    assert "lighthous" in tokens(EN, "en")
    assert {"phar", "gardien"} <= {*tokens(FR, "fr")}


def test_unspaced_scripts_are_pairs_of_neighbours() -> None:
    assert tokens("灯塔高 36米, 岛", "zh") == ["灯塔", "塔高", "36", "米", "岛"]
    assert tokens("Kõpu 灯塔", "en") == ["kopu", "灯塔"]
    assert asked("灯塔高", ["en"]) == [("灯塔",), ("塔高",)] and asked("灯塔高", ["en"], paired=False) == [("灯塔高",)]


def test_names_with_marks_within_are_words_beside_their_words() -> None:
    said = "Set max_size, os.path or std::map by --no-all; well-known, a 7.5 - 8 and end."
    assert tokens(said, "en")[-5:] == ["max_size", "os.path", "std::map", "--no-all", "7.5"]
    assert asked("max_size of 灯塔", ["en", "zh"])[-1] == ("max_size",)


def test_a_name_is_found_whole_and_one_that_nobody_writes_by_its_words(tmp_path: Path) -> None:
    texts = {"whole": "The max_size of a lamp.", "parts": "The size of a lamp at max.", "other": "Lamps of all sorts."}
    index = built(tmp_path / "names", texts)
    assert [id for id, _ in index.search("max_size", 3)] == ["whole", "parts"]
    assert index.search("max.size", 3) == index.search("max size", 3)
    held = HeldPassages([Passage(id, id, "e", "", text, 0, len(text), "") for id, text in texts.items()], {})
    assert held.search("max.size", None, "lexical", 3) == held.search("max size", None, "lexical", 3)
    assert held.search("max_size", None, "lexical", 3)[0][0] == "whole"


def test_a_query_has_a_form_for_each_language_its_own_first() -> None:
    assert asked("the keepers of lighthouses", ["en"]) == [("keeper",), ("lighthous",)]
    assert asked("Die Wärter auf der Insel", ["de", "en"]) == [("wart", "warter"), ("insel",)]
    assert [one[0] for one in asked("Did he die?", ["de", "en"])] == ["die"]  # an English question: a word of its own
    assert asked("der die das", ["de", "en"]) != []


def test_each_language_is_found_in_one_index(tmp_path: Path) -> None:
    index = built(tmp_path / "all", EVERY)
    assert index.languages == ("de", "en", "es", "fr", "zh")
    for question, wanted in (
        ("In welchem Haus wohnte der Wärter eines Leuchtturms?", "de"),
        ("Which house did the keeper of a lighthouse build?", "en"),
        ("Où habite le gardien d'un phare ?", "fr"),
        ("¿Dónde vivía la familia de un farero?", "es"),
        ("灯塔看守人的房子在哪里？", "zh"),
        ("Leuchtturm", "de"),
        ("phare", "fr"),
        ("房子", "zh"),
    ):
        assert index.search(question, 1)[0][0] == wanted, question
    assert all(0 < score <= 1 for _, score in index.search("keeper gardien Wärter", 5))


def test_a_slip_is_found_in_any_language(tmp_path: Path) -> None:
    assert built(tmp_path / "all", EVERY).search("Leuchtturn", 1)[0][0] == "de"


def test_an_english_index_is_what_it_was(tmp_path: Path) -> None:
    """Held in one analyser or in two, English words have the same scores."""
    index = built(tmp_path / "en", {"a": EN, "b": "A keeper trims lamps, and he is paid for it."})
    assert index.languages == ("en",)
    assert index.search("the keepers", 2) == index.search("Keeper", 2)


def test_what_is_added_brings_its_language(tmp_path: Path) -> None:
    base, more = tmp_path / "base", tmp_path / "more"
    built(base, {"en": EN})
    more.mkdir()
    new = rows({"fr": FR}, first=2)
    extend_bm25(base, new, more, silent, 1)
    index = opened(more, rows({"en": EN}), new)
    assert index.languages == ("en", "fr") and index.search("un phare", 1)[0][0] == "fr"


def test_held_passages_are_ranked_as_the_index_ranks_them(tmp_path: Path) -> None:
    passages = [Passage(id, id, "wiki", "", text, 0, len(text)) for id, text in EVERY.items()]
    held, folder = HeldPassages(passages, {}), tmp_path / "index"
    folder.mkdir()
    build_bm25(rows(EVERY), folder, silent, len(EVERY))
    index = Bm25Index(folder, lambda keys: {row.key: row.id for row in rows(EVERY) if row.key in keys})
    for question in ("Wärter eines Leuchtturms", "the keeper's house", "灯塔看守人", "les maisons des gardiens"):
        ours, theirs = held.search(question, None, "lexical", 3), index.search(question, 3)
        assert [id for id, _ in ours] == [id for id, _ in theirs]
        assert all(abs(a - b) < 1e-3 for (_, a), (_, b) in zip(ours, theirs, strict=True))
