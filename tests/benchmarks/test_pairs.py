"""benchmarks/pairs_sets.py and pairs.py over a small set: prepared, made, and every table and figure of it."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import pairs
import pairs_sets as sets
from answerable.encoders.choose import MINILM, open_encoder
from answerable.encoders.encoder import Encoder
from answerable.qapairs.calibration import PairCalibration
from answerable.qapairs.early_exit import NAMES as EARLY
from answerable.qapairs.early_exit import Several
from answerable.qapairs.generation.parts import Extracted, Generated
from answerable.types import Passage
from answerable.workspace import qapairs as pair_places
from answerable.workspace.opening import open_workspace
from making import Makers, make

LIGHTS = (
    ("Kõpu", "1531", "Hiiumaa"),
    ("Hook", "1207", "Ireland"),
    ("Souter", "1871", "England"),
    ("Kullen", "1900", "Scania"),
)


class Ends:
    """The year and the last word of a sentence as answers."""

    name = "ends"

    def extract(self, passages: Sequence[Passage]) -> list[list[Extracted]]:
        found = []
        for one in passages:
            ends = [one.text.rstrip(".").split()[place] for place in (-3, -1)]
            places = [(one.text.index(word), word) for word in ends]
            found.append([Extracted(at, at + len(word), word, 0.5, self.name) for at, word in places])
        return found


class Asks:
    """One question for each answer."""

    name = "asks"

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        return [
            [
                Generated(f"{'When' if one.text.isdigit() else 'Where'} was {p.text.split()[0]} lit?", one, 0.9, "asks")
                for one in own
            ]
            for p, own in zip(passages, answers, strict=True)
        ]


FIT = PairCalibration((1.0,), -1.5, 0.5, "keeps", weighed=("read",))


class Keeps:
    """Finds all answers, and is sure of all or of those that are times."""

    def __init__(self, name: str, word: str) -> None:
        self.name, self.word = name, word

    def scores(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[float | None]]:
        """What asks for a place is unsure in a global filter."""
        return [[self._score(one.question) for one in own] for own in made]

    def _score(self, question: str) -> float | None:
        return float(question.startswith(self.word)) + 1 if self.name == "global" else 2.0


def squad(path: Path, titles: Sequence[str]) -> None:
    articles = []
    for n, (title, (name, year, place)) in enumerate(zip(titles, LIGHTS, strict=False)):
        text = f"{name} Lighthouse was lit in {year} in {place}."
        asked = [
            {"id": f"{n}a", "question": f"When was {name} lit?", "answers": [{"text": year}]},
            {"id": f"{n}b", "question": f"Where was {name} lit?", "answers": [{"text": place}]},
        ]
        articles.append({"title": title, "paragraphs": [{"context": text, "qas": asked}]})
    with gzip.open(path, "wt", encoding="utf8") as file:
        json.dump({"version": "1.1", "data": articles}, file)


@pytest.fixture(scope="module")
def stand_ins() -> Iterator[None]:
    """Parts without weights, also in place of the vectors of others that are measured beside."""

    def plain(name: str, threads: int) -> Encoder:
        assert name == MINILM
        return open_encoder("hashed", threads)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "open_encoder", plain)
        for name, value in {"ENCODER": "hashed", "READER": "overlap", "MATCHER": "hashed"}.items():
            patch.setenv(f"ANSWERABLE_MODELS_{name}", value)
        yield


@pytest.fixture
def work(prepared: Path, tmp_path: Path) -> Path:
    """What was prepared, for one test alone."""
    return Path(shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)) / "work"


@pytest.fixture(scope="module")
def prepared(stand_ins: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sets, prepared from files in SQuAD's form, with all that hand-made parts make of them."""
    tmp_path = tmp_path_factory.mktemp("pairs")
    (tmp_path / "squad").mkdir()
    squad(tmp_path / sets.SQUAD, ("Nikola Tesla", "Warsaw", "Steam engine", "Baltic Sea"))  # the last is for tuning
    squad(tmp_path / sets.SQUAD_TRAIN, ("Estonia", "Wales"))
    for name in ("squad", "squad-tune"):
        sets.main([name, "--data", str(tmp_path), "--workspace", str(tmp_path / "work"), "--no-make"])
        folder = tmp_path / "work" / name
        with open_workspace(folder / "ws", settings={"pairs.answer": False}) as opened:
            by = Makers(
                Ends(),
                Asks(),
                [Keeps("local", "W"), Keeps("global", "When")],
                fit=FIT,
            )
            make(sets.passages_of(opened), by, folder / "made.jsonl", lambda *_: None)
    return tmp_path


def measured(work: Path, *given: str) -> dict:
    pairs.main([*given, "--workspace", str(work), "--set", "squad", "--json", str(work / "out.json")])
    return json.loads((work / "out.json").read_text("utf8"))["figures"]


def test_a_set_holds_the_report_s_articles_and_their_questions(work: Path):
    rows = [json.loads(line) for line in (work / "squad" / "questions.jsonl").read_text("utf8").splitlines()]
    assert [row["question"] for row in rows[:2]] == ["When was Kõpu lit?", "Where was Kõpu lit?"]
    assert len(rows) == 6 and {row["supporting"][0].partition("#")[0] for row in rows} == {
        "Nikola Tesla", "Warsaw", "Steam engine",
    }  # fmt: skip
    with pytest.raises(SystemExit, match="other options"):
        sets.main(["squad", "--data", str(work.parent), "--workspace", str(work), "--articles", "1"])


def test_questions_without_passages_are_asked_of_the_corpus_of_nq(work: Path):
    (work / "squad").rename(work / "nq")
    path = work.parent / sets.WITHOUT["open"]
    path.parent.mkdir()
    rows = [{"question": f"in what year was {name} lit", "answers": [answer]} for name, answer, _ in LIGHTS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    squad(work.parent / sets.NQ_TRAIN, ("Rhine",))
    sets.main(["open", "--data", str(work.parent), "--workspace", str(work), "--limit", "2"])
    counted = json.loads((work / "open" / "counts.json").read_text("utf8"))
    assert (counted["of"], counted["standing"], counted["kept"]) == (4, 3, 2)  # nothing is indexed about the fourth
    pairs.main(["answers", "--workspace", str(work), "--set", "open", "--json", str(work / "out.json")])
    found = json.loads((work / "out.json").read_text("utf8"))["figures"]
    assert found["questions"] == 2 and found["systems"]["retrieve"]["EM"] == 1.0


def test_tables_1_and_4(work: Path, capsys: pytest.CaptureFixture[str]):
    found = measured(work, "tables")["variants"]
    every, local, kept = (found[f"1 {name}"] for name in ("none", "local", "global"))
    assert (every["answers"], every["questions"], every["kept"], every["ratio"]) == (6, 6, 6, 1.0)
    assert local["kept"] == 6 and kept["kept"] == 3 and kept["ratio"] == 0.5
    assert measured(work, "tables", "--limit", "4")["variants"]["1 none"]["questions"] == 6
    assert every["coverage"] == every["of the passage"] == 1.0 and kept["coverage"] == 0.5
    assert every["retrieve"] == every["rerank"] == 1.0 and kept["retrieve"] == 0.5
    assert found["1 found"]["kept"] == 6 and found["2 global"]["kept"] == 3
    assert found["training"]["retrieve"] < 1.0 and "squad" in capsys.readouterr().err


def test_tables_3_and_7_and_the_figures(work: Path):
    found = measured(work, "answers", "--tune", "squad-tune")
    systems = found["systems"]
    assert set(systems) == {"words", "vectors", "training", "retrieve", "rerank", "with training", "one hop", "engine"}
    assert systems["rerank"]["EM"] == 0.5 and all(one["questions per second"] > 0 for one in systems.values())
    assert set(found["backoff"]) == {"as calibrated", "best", "as accurate"}
    assert found["backoff"]["best"]["EM"] >= 0.5 and found["questions"] == 6
    assert set(found["selective"]) >= {"engine", "rerank", "engine by rerank"}
    assert sum(found["splits"]["questions"].values()) == 6 and found["splits"]["rerank"]["total"] == 0.5
    again = measured(work, "answers", "--tune", "squad-tune")
    assert again["selective"] == found["selective"] and again["splits"] == found["splits"]


def test_table_3_with_what_is_read_early(work: Path, monkeypatch: pytest.MonkeyPatch):
    weights = tuple(10.0 if name == "score" else 0.0 for name in EARLY)
    sure = PairCalibration(weights, -5.0, 0.99, weighed=EARLY)
    monkeypatch.setattr(pair_places, "open_early_calibration", lambda matcher, reader: sure)
    monkeypatch.setattr(pair_places, "open_several", lambda matcher: Several((0.0,) * 256, -1.0))
    found = measured(work, "answers", "--tune", "squad-tune")
    both = found["backoff"]
    assert {"early, as calibrated", "early, best", "early, as accurate"} <= set(both)
    assert both["early, as calibrated"]["share"] <= both["early, as accurate"]["share"]
    assert found["systems"]["early"]["EM"] >= 0.5 and both["early, best"]["threshold"] in pairs.THRESHOLDS


def test_table_5_and_figure_2(work: Path):
    found = measured(work, "speed")
    assert found["flat f16, 50 read again"]["EM"] == 0.5 and found["engine"]["questions per second"] > 0
    assert {"flat i8", "graph f16"} <= set(found) and found["flat i8"]["bytes"] > 0
    found = measured(work, "sizes", "--engine", "1", "0.4")
    assert [one["passages"] for one in found["engine"]] == [3, 1]
    assert found["pairs"][0]["pairs"] == 3 and found["engine"][0]["EM"] >= found["engine"][1]["EM"]
