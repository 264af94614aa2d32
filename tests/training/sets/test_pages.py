"""Lessons of texts that say what they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from answerable.errors import UsageError
from answerable.training.sets import says
from answerable.training.sets.draw import read_lessons
from answerable.training.sets.pages import KINDS, LessonRecipe
from answerable.training.sets.says import part_of, plural, read
from tests.training.files import write_lines


def test_a_first_sentence_says_what_where_and_when() -> None:
    said = read("Hook", "Hook Lighthouse is an old stone lighthouse in County Wexford, Ireland . It is lit.")
    assert said and said.heads == ("lighthouse",) and said.kinds == ("stone lighthouse",)
    assert said.places == ("County Wexford", "Ireland", "Europe") and not said.born
    born = read("Ada", "Ada Byron (born 3 May 1815) is an English writer and chemist .")
    assert born and born.heads == ("writer", "chemist") and born.demonyms == ("England",) and born.born == 1815
    work = read("Keys", "Keys is a 1994 studio album by American singer Ann Lee .")
    assert work and (work.year, work.by, work.kinds) == (1994, "American", ("studio album",))
    assert read("Hook", "Ships pass the Hook.") is None


@pytest.mark.parametrize(
    ("one", "many"), [("city", "cities"), ("fisherman", "fishermen"), ("bay", "bays"), ("bus", "buses")]
)
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many


class Apart:
    """An encoder to which no two nouns are alike."""

    def encode_passages(self, texts: list[tuple[str, str]]) -> np.ndarray:
        return np.eye(len(texts))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lighthouses in Norway and villages that have one, a table of the first, a claim, and packages."""
    monkeypatch.setattr(says, "open_encoder", lambda name, threads: Apart())
    assert part_of("lighthouse") == part_of("village") == part_of("editor") == "train"
    pages = [
        {"_id": f"l{n}", "title": f"L{n}", "text": f"Tower {n} is a lighthouse in Norway . It guards a village."}
        for n in range(30)
    ]
    pages += [
        {"_id": f"v{n}", "title": f"V{n}", "text": f"Place {n} is a village in Kenya . It has a lighthouse."}
        for n in range(30)
    ]
    write_lines(tmp_path / "wiki/passages.jsonl.gz", pages)
    cells = [{"text": f"Tower {n}", "links": [f"l{n}"]} for n in range(3)]
    table = {"title": "List of lighthouses in Norway", "header": ["Lighthouse"], "rows": [[cell] for cell in cells]}
    write_lines(tmp_path / "wiki/tables.jsonl.gz", [table])
    name = next(f"C{n}" for n in range(99) if part_of(f"C{n}") == "train")
    claim = {"claim": f"{name} is a tall mast.", "label": "SUPPORTS", "evidence": ["A mast."], "titles": [name]}
    write_lines(tmp_path / "fever/claims.jsonl.gz", [claim])
    shelf = ({"title": f"p{n}", "text": f"text {kind} for war\n"} for n in range(30) for kind in ("editor", "browser"))
    write_lines(tmp_path / "debian/packages.jsonl.gz", shelf)
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden/atoms.jsonl").write_text('{"atom": "old editors", "split": "test", "docs": []}\n')
    return tmp_path


def test_a_text_fits_what_it_is_and_not_what_it_mentions(data: Path, tmp_path: Path) -> None:
    asked = {"kind": "constraint-lessons", "most": 60}
    told = KINDS["constraint-lessons"].make(LessonRecipe.of(asked), data, tmp_path).record
    lessons = read_lessons(Path(told["lessons"]), "pages")
    said = {(one.text[0][0], words): label for one in lessons for words, label in one.asked}
    assert said["L", "lighthouses"] == said["V", "villages"] == said["C", "tall mast"] == 1
    assert said["V", "lighthouses"] == 0 and said["L", "villages"] == 0
    norway = {words: label for (kind, words), label in said.items() if kind == "L" and "Norway" in words}
    assert norway["lighthouses in Norway"] == 1 and any("Kenya" in words for _, words in said)
    shelved = {(one.text[1].split()[1], words): label for one in lessons for words, label in one.asked}
    assert shelved["editor", "editors"] == 1 and shelved["browser", "editors"] == 0
    assert told["fit"] == sum(label for one in lessons for _, label in one.asked)


def test_what_a_benchmark_holds_out_is_no_noun(data: Path, tmp_path: Path) -> None:
    asked = LessonRecipe.of({"kind": "constraint-lessons", "most": 60, "hide": [str(data / "hidden")]})
    lessons = read_lessons(Path(KINDS["constraint-lessons"].make(asked, data, tmp_path).record["lessons"]), "pages")
    assert lessons and not any(words == "editors" for one in lessons for words, _ in one.asked)


def test_a_part_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="part is 'test'"):
        LessonRecipe.of({"kind": "constraint-lessons", "part": "test"})
