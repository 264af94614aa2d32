"""PAQ's formats: what they hold comes back, and what is no such file is said in a sentence that names the line."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.corpora.store import Store
from answerable.errors import EnclaveError, FormatError, UsageError
from answerable.qapairs.exchange import LONGEST_LINE, Line, as_line, export_pairs, import_pairs, read_lines
from answerable.types import Enclave, QAPair
from tests.indexes.samples import remove
from tests.qapairs.samples import bring, made, of_passages, opened

PUBLIC, PRIVATE = Enclave("public"), Enclave("notes", frozenset({"notes"}))

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(str.strip)
pairs = st.builds(
    QAPair,
    st.just("id"),
    texts,
    st.lists(texts, min_size=1, max_size=4, unique=True).map(tuple),
    st.sampled_from(["", "a@0-9"]),
    st.just("public"),
    st.floats(0, 1),
    st.integers(0, 99),
)


def read(path: Path, *lines: str | bytes) -> list[Line]:
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines))
    return list(read_lines(path))


@settings(max_examples=80, deadline=None)
@given(st.lists(pairs, min_size=1, max_size=4), st.booleans())
def test_all_that_a_format_holds_comes_back(tmp_path_factory, given_pairs: list[QAPair], zipped: bool) -> None:
    folder = tmp_path_factory.mktemp("f")
    data = "".join(as_line(pair, PRIVATE) for pair in given_pairs).encode()
    path = folder / ("p.jsonl.gz" if zipped else "p.jsonl")
    path.write_bytes(gzip.compress(data) if zipped else data)
    lines = list(read_lines(path))
    assert len(lines) == len(given_pairs)
    for line, pair in zip(lines, given_pairs, strict=True):
        assert (line.question, line.answers, line.label) == (pair.question, pair.answers, ("notes",))
        assert line.score == pair.score
        assert line.places == (((pair.passage_id, pair.start),) if pair.passage_id else ())


def test_the_formats_of_the_release_are_read(tmp_path: Path) -> None:
    metadata = {
        "question": "who built the tower",
        "subsets": ["L1", "NE"],
        "answer": "Smeaton",
        "passage_score": -0.5,
        "answers": [
            {"passage_id": "17", "offset": 40, "text": "John Smeaton", "extractor": "L"},
            {"passage_id": "18", "offset": 3, "text": "Smeaton", "extractor": "NE"},
            {"passage_id": "21", "offset": 9, "text": "Smeaton", "extractor": "NE"},
        ],
    }
    unfiltered = {**metadata, "canonical_answer": metadata["answer"], "consistent": True}
    del unfiltered["answer"]
    for one in (metadata, unfiltered):
        (line,) = read(tmp_path / "PAQ.metadata.jsonl", json.dumps(one))
        assert line.answers == ("Smeaton", "John Smeaton") and line.places == (("18", 3), ("21", 9))
        assert line.score == pytest.approx(0.6065306597)
    plain = {"question": "who built it", "answer": ["Smeaton", "John Smeaton"]}
    (line,) = read(tmp_path / "PAQ.jsonl", b"\xef\xbb\xbf" + json.dumps(plain).encode(), "", "  ")
    assert line == Line(1, "who built it", ("Smeaton", "John Smeaton"))


GOOD = '{"question": "who built it", "answer": ["the secret mason"]}'


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('["secret"]', "not a JSON object"),
        ('{"answer": ["secret"]}', "no question"),
        ('{"question": 7, "answer": ["secret"]}', "no question"),
        ('{"question": "secret"}', "no answer"),
        ('{"question": "secret", "answer": []}', "no answer"),
        ('{"question": "secret", "answer": ["a", " "]}', "an empty one"),
        ('{"question": "secret", "answer": ["a", null]}', "not texts"),
        ('{"question": "secret", "answer": 7}', "not texts"),
        ('{"question": "secret", "answer": "a", "answers": [7]}', "neither texts nor objects"),
        ('{"question": "secret", "answer": "a", "answers": [{}]}', "not texts"),
        ('{"question": "secret", "answer": ["a"], "label": "notes"}', "label"),
        ('{"question": "secret", "answer": ["a"], "score": 2}', "0 to 1"),
        ('{"question": "secret", "answer": ["a"], "score": NaN}', "no number"),
        ('{"question": "secret", "answer": ["a"], "passage_score": "x"}', "no number"),
        ('{"question": "secret", "answer": ["a"], "passage_score": 0.5}', "logarithm"),
        ('{"question": "secret \\ud800", "answer": ["a"]}', "no Unicode"),
        (b'{"question": "\xff\xfe secret", "answer": ["a"]}', "not UTF-8"),
        (b"x" * (LONGEST_LINE + 5), "longer than 1,000,000 bytes"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_without_its_text(tmp_path: Path, wrong: str | bytes, what: str) -> None:
    with pytest.raises(FormatError, match=what) as caught:
        read(tmp_path / "p.jsonl", GOOD, "", wrong, GOOD)
    assert str(caught.value).startswith("p.jsonl, line 3: ") and "secret" not in str(caught.value)


def test_files_that_are_no_such_files_are_refused(tmp_path: Path) -> None:
    for content in (b"", b"\n \n", gzip.compress(b"")):
        (tmp_path / "empty.jsonl").write_bytes(content)
        with pytest.raises(FormatError, match="no pairs"):
            list(read_lines(tmp_path / "empty.jsonl"))
    whole = gzip.compress(f"{GOOD}\n".encode() * 5000)
    for content in (whole[: len(whole) // 2], whole[:40] + b"\xff" * 40 + whole[80:], whole[:1] + b"\x8b\x00"):
        (tmp_path / "cut.jsonl.gz").write_bytes(content)
        with pytest.raises(FormatError, match="damaged or cut off after line"):
            list(read_lines(tmp_path / "cut.jsonl.gz"))
    with tarfile.open(tmp_path / "PAQ.tar.gz", "w:gz") as archive:
        about = tarfile.TarInfo("PAQ.jsonl")
        about.size = len(GOOD)
        archive.addfile(about, io.BytesIO(GOOD.encode()))
    with pytest.raises(UsageError, match=r"archive.*unpack"):
        list(read_lines(tmp_path / "PAQ.tar.gz"))
    for missing in (tmp_path, tmp_path / "nothing.jsonl"):
        with pytest.raises(UsageError, match="cannot be read"):
            list(read_lines(missing))


def kept(store: Store, enclave: str = "public") -> list[tuple[object, ...]]:
    """All of each pair but its id."""
    fields = [(p.question, p.answers, p.passage_id, p.score, p.start, p.end) for _, p in store.pairs(enclave)]
    return sorted(fields)


def test_an_export_imported_again_is_the_same_with_its_passages(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    with opened(tmp_path) as store:
        of_passages(store, 12)
        bring(store, made(20))
        before = kept(store)
        done = export_pairs(store, PUBLIC, file)
        assert done.pairs == 32
        assert export_pairs(store, PUBLIC, file) == done
        with store.write() as transaction:
            transaction.remove_pairs("public", "made")
            for row in store.rows("public"):
                transaction.put_pairs("public", row.id, "maker", [])
        brought = import_pairs(store, PUBLIC, file)
        assert (brought.source, brought.pairs, brought.placed, brought.removed) == ("pairs.jsonl", 32, 12, 0)
        assert kept(store) == before
        again = import_pairs(store, PUBLIC, file)
        assert (again.pairs, again.removed) == (32, 32) and kept(store) == before
        assert import_pairs(store, PUBLIC, file, "elsewhere").pairs == 32
        assert store.pair_count("public") == 64


def test_a_passage_that_has_not_the_answer_there_is_not_the_pairs(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        of_passages(store, 3)
        line = {"question": "q", "answer": "1", "answers": [{"passage_id": "d1@0-13", "offset": 3, "text": "1"}]}
        file = tmp_path / "p.jsonl"
        file.write_text(json.dumps(line))
        assert import_pairs(store, PUBLIC, file).placed == 0
        line["answers"][0]["offset"] = 12  # type: ignore[index]
        file.write_text(json.dumps(line) + "\n" + json.dumps(line))
        brought = import_pairs(store, PUBLIC, file)
        assert (brought.pairs, brought.removed) == (1, 1)


def test_a_pair_whose_answer_stands_nowhere_goes_with_the_document_it_names(tmp_path: Path) -> None:
    """Also after an export and an import, and where the passage it names was cut otherwise."""
    file, again = tmp_path / "p.jsonl", tmp_path / "again.jsonl"
    lines = [
        {"question": f"q{n}", "answer": "x", "answers": [{"passage_id": where, "offset": offset, "text": "x"}]}
        for n, (where, offset) in enumerate((("d0@0-13", 3), ("d1@7-9", 0), ("d2", None), ("elsewhere", 1)))
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    with opened(tmp_path) as store:
        of_passages(store, 3)
        assert import_pairs(store, PUBLIC, file).placed == 0
        export_pairs(store, PUBLIC, again)
        remove(store, ["d0", "d1"])
        assert [one.question for _, one in store.pairs("public") if one.question.startswith("q")] == ["q2", "q3"]
        assert import_pairs(store, PUBLIC, again).pairs == 7
        remove(store, ["d2"])
        assert sorted(one.question for _, one in store.pairs("public")) == ["q0", "q1", "q3", "q3"] + [
            f"which number is text {n}" for n in range(2)
        ]
        lines[0]["documents"] = 3
        file.write_text(json.dumps(lines[0]))
        with pytest.raises(FormatError, match="documents"):
            import_pairs(store, PUBLIC, file)


def test_private_text_is_labelled_and_stays_private(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    with opened(tmp_path) as store:
        bring(store, made(5, enclave="notes"), enclave="notes")
        bring(store, made(3))
        assert export_pairs(store, PRIVATE, file).label == {"notes"}
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        assert len(lines) == 5 and all(line["label"] == ["notes"] for line in lines)
        with pytest.raises(EnclaveError, match=r"line 1 holds private text of notes, and public is public"):
            import_pairs(store, PUBLIC, file)
        assert store.pair_count("public") == 3
        with pytest.raises(EnclaveError, match="holds enclave notes"):
            export_pairs(store, PUBLIC, file)
        for target in (tmp_path / "x.tsv", tmp_path / "x.jsonl.gz"):
            with pytest.raises(UsageError):
                export_pairs(store, PUBLIC, target)
        other = tmp_path / "other.jsonl"
        other.write_text("mine")
        with pytest.raises(UsageError, match="no export"):
            export_pairs(store, PUBLIC, other)
        assert import_pairs(store, PRIVATE, file, "copy").pairs == 5


def test_a_wrong_line_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text(GOOD)
    with opened(tmp_path) as store:
        import_pairs(store, PUBLIC, file)
        before, print_ = kept(store), store.pair_fingerprint("public")
        many = "\n".join(GOOD.replace("it", f"it {n}") for n in range(700))
        file.write_text(f"{many}\n{{\n")
        with pytest.raises(FormatError, match="line 701"):
            import_pairs(store, PUBLIC, file)
        assert kept(store) == before and store.pair_fingerprint("public") == print_
