"""What travels is read back as it was, and nothing else is read."""

import base64
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.remote import wire
from answerable.remote.wire import About, Search, WireError
from answerable.types import Passage

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
SCORES = st.floats(allow_nan=False, allow_infinity=False)
VECTOR = np.array([0.6, -0.8, 0.0], np.float32)


@st.composite
def passages(draw, enclave="wiki"):
    text, start = draw(TEXTS), draw(st.integers(0, 10**9))
    return Passage(draw(TEXTS), draw(TEXTS), enclave, draw(TEXTS), text, start, start + len(text), draw(TEXTS))


@given(
    text=TEXTS,
    k=st.integers(1, wire.MOST),
    mode=st.sampled_from(["hybrid", "dense", "lexical"]),
    by_vector=st.booleans(),
    wanted=st.booleans(),
)
def test_a_search_comes_back_as_it_was_sent(text, k, mode, by_vector, wanted):
    vector, encoder = (VECTOR, "tiny") if by_vector and mode != "lexical" else (None, None)
    wanted = wanted and vector is not None
    sent = Search(mode, k, text, vector, encoder, wanted)
    got = Search.from_bytes(sent.to_bytes())
    assert (got.mode, got.k, got.text, got.encoder, got.vectors) == (mode, k, text, encoder, wanted)
    assert got.vector is None if vector is None else np.array_equal(got.vector, vector)


@given(found=st.lists(st.tuples(passages(), SCORES), max_size=5, unique_by=lambda hit: hit[0].id))
def test_hits_come_back_with_every_bit_of_their_scores(found):
    found = [hit for hit in found if hit[0].id]
    ranking, by_id, _ = wire.hits_from_bytes(wire.hits_to_bytes(found, b"asked"), b"asked", "wiki", 5)
    assert ranking == sorted(((p.id, score) for p, score in found), key=lambda hit: (-hit[1], hit[0]))
    assert by_id == {passage.id: passage for passage, _ in found}


def test_vectors_come_with_the_hits_that_have_one():
    hits = [(Passage(id, "d", "wiki", "", "abc", 0, 3), 1.0) for id in ("p", "q")]
    row = VECTOR.astype(np.float16)
    body = wire.hits_to_bytes(hits, b"asked", {"p": row, "elsewhere": row})
    found = wire.hits_from_bytes(body, b"asked", "wiki", 2, 3)[2]
    assert list(found) == ["p"] and found["p"].dtype == np.float16 and np.array_equal(found["p"], row)
    assert wire.hits_from_bytes(wire.hits_to_bytes(hits, b"asked"), b"asked", "wiki", 2, 3)[2] == {}
    assert wire.hits_from_bytes(body, b"asked", "wiki", 2)[0] == [("p", 1.0), ("q", 1.0)]


@pytest.mark.parametrize(
    "vector",
    [
        np.array([0.6, 0.8], np.float16),
        np.ones(3, np.float16),
        np.array([np.nan, 0, 0], np.float16),
        np.zeros(0, "f2"),
    ],
)
def test_vectors_of_another_shape_or_length_are_refused(vector):
    hit = (Passage("p", "d", "wiki", "", "abc", 0, 3), 1.0)
    with pytest.raises(WireError, match="vector"):
        wire.hits_from_bytes(wire.hits_to_bytes([hit], b"", {"p": vector}), b"", "wiki", 1, 3)


def test_a_passage_belongs_to_the_enclave_that_asked_whatever_its_server_calls_it():
    sent = Passage("p", "d", "their-name", "T", "abc", 5, 8)
    _, found, _ = wire.hits_from_bytes(wire.hits_to_bytes([(sent, 1.0)], b""), b"", "ours", 1)
    assert found["p"].enclave == "ours"


def _answer(**changes):
    row = {"id": "p", "score": 1.0, "document": "d", "title": "", "section": "", "start": 0, "end": 2, "text": "ab"}
    return {"to": wire.digest(b"q"), "hits": [{**row, **changes}]}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"score": "1"}, "score"),
        ({"score": True}, "score"),
        ({"score": None}, "score"),
        ({"end": 3}, "end"),
        ({"start": -1, "end": 1}, "start"),
        ({"id": 7}, "id"),
        ({"id": ""}, "id"),
        ({"text": None}, "text"),
        ({"title": "\ud800"}, "title"),
        ({"start": 0.0}, "start"),
        ({"start": 2**53, "end": 2**53 + 2}, "end"),
        ({"start": 2**53 + 1, "end": 2**53 + 3}, "start"),
    ],
)
def test_an_answer_with_a_wrong_field_is_refused_by_its_name(change, field):
    with pytest.raises(WireError, match=field):
        wire.hits_from_bytes(json.dumps(_answer(**change)).encode(), b"q", "wiki", 1)


@pytest.mark.parametrize("text", ["", "x" * wire.LONGEST_PASSAGE])
def test_an_answer_of_any_length_up_to_the_longest_is_read(text):
    for change in ({"text": text, "end": len(text)}, {"title": text}, {"section": text}, {"document": text}):
        (found,) = wire.hits_from_bytes(json.dumps(_answer(**change)).encode(), b"q", "wiki", 1)[1].values()
        assert text in (found.text, found.title, found.section, found.document_id)
        more = wire.LONGEST_PASSAGE + 1
        longer = {
            name: value + "x" * more if isinstance(value, str) else value + more for name, value in change.items()
        }
        with pytest.raises(WireError):
            wire.hits_from_bytes(json.dumps(_answer(**longer)).encode(), b"q", "wiki", 1)


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_scores_are_numbers(score):
    with pytest.raises(WireError):
        wire.hits_from_bytes(json.dumps(_answer(score=score)).encode(), b"q", "wiki", 1)


def test_more_hits_than_were_asked_for_and_a_hit_twice_are_refused():
    two = _answer()
    two["hits"] *= 2
    for k, field in ((1, "hits"), (2, "id")):
        with pytest.raises(WireError, match=f"the field {field} is not valid"):
            wire.hits_from_bytes(json.dumps(two).encode(), b"q", "wiki", k)


def test_an_answer_to_another_request_is_refused():
    with pytest.raises(WireError, match="to"):
        wire.hits_from_bytes(wire.hits_to_bytes([], b"first"), b"second", "wiki", 1)
    with pytest.raises(WireError, match="to"):
        wire.passages_from_bytes(wire.passages_to_bytes([], b"first"), b"second", "wiki", [])


def test_passages_that_were_not_asked_for_are_refused():
    sent = Passage("p", "d", "wiki", "", "", 0, 0)
    body = wire.passages_to_bytes([sent], b"")
    assert wire.passages_from_bytes(body, b"", "wiki", ["p", "gone"]) == {"p": sent}
    with pytest.raises(WireError):
        wire.passages_from_bytes(body, b"", "wiki", ["other"])


def _data(*numbers):
    return base64.b64encode(np.array(numbers, "<f4").tobytes()).decode()


def _vector(*numbers, encoder="e"):
    return {"encoder": encoder, "data": _data(*numbers)}


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({"mode": "hybrid", "k": 1}, "text"),
        ({"mode": "hybrid", "k": 1, "vector": _vector(1.0)}, "text"),
        ({"mode": "lexical", "k": 1, "vector": _vector(1.0)}, "text"),
        ({"mode": "lexical", "k": 1, "text": "x", "vector": {"encoder": "e", "data": ""}}, "vector"),
        ({"mode": "dense", "k": 1}, "text"),
        ({"mode": "entity", "k": 1, "text": "x"}, "vector"),
        ({"mode": "fuzzy", "k": 1, "text": "x"}, "mode"),
        ({"k": 1, "text": "x"}, "mode"),
        ({"mode": "lexical", "k": 0, "text": "x"}, "k"),
        ({"mode": "lexical", "k": True, "text": "x"}, "k"),
        ({"mode": "lexical", "k": wire.MOST + 1, "text": "x"}, "k"),
        ({"mode": "lexical", "k": 1, "text": "x" * (wire.LONGEST_TEXT + 1)}, "text"),
        ({"mode": "lexical", "k": 1, "text": None}, "text"),
        ({"mode": "dense", "k": 1, "vector": {"encoder": "e", "data": "!"}}, "vector"),
        ({"mode": "dense", "k": 1, "vector": {"encoder": "e", "data": "AAA="}}, "vector"),
        ({"mode": "dense", "k": 1, "vector": {"encoder": "e", "data": 7}}, "data"),
        ({"mode": "dense", "k": 1, "vector": _vector(math.nan)}, "vector"),
        ({"mode": "dense", "k": 1, "vector": _vector(0.72, 0.72)}, "vector"),
        ({"mode": "dense", "k": 1, "vector": "AAAA"}, "vector"),
        ({"mode": "dense", "k": 1, "vector": _vector(1.0, encoder="x" * 201)}, "encoder"),
        ({"mode": "dense", "k": 1, "vector": {"data": _data(1.0)}}, "encoder"),
        ({"mode": "dense", "k": 1, "vector": _vector(1.0), "vectors": 1}, "vectors"),
        ({"mode": "lexical", "k": 1, "text": "x", "vectors": True}, "vectors"),
    ],
)
def test_what_is_no_search_is_refused_without_quoting_it(record, field):
    with pytest.raises(WireError) as caught:
        Search.from_bytes(json.dumps(record).encode())
    assert str(caught.value) == f"the field {field} is not valid"


@pytest.mark.parametrize(
    "record",
    [
        {"mode": "lexical", "k": wire.MOST, "text": "x" * wire.LONGEST_TEXT},
        {"mode": "entity", "k": 1, "vector": _vector(0.71, 0.71, encoder="x" * 200), "vectors": False},
        {"mode": "dense", "k": 1, "text": "x"},  # for a server that encodes by itself
        {"mode": "hybrid", "k": 1, "text": "", "vector": _vector(0.0), "vectors": True, "more": [1]},
    ],
)
def test_what_is_just_a_search_is_read(record):
    got = Search.from_bytes(json.dumps(record).encode())
    assert (got.mode, got.k, got.text) == (record["mode"], record["k"], record.get("text"))
    assert (got.encoder, got.vectors) == (record.get("vector", {}).get("encoder"), record.get("vectors", False))
    assert (got.vector is None) is ("vector" not in record) and (got.vector is None or got.vector.dtype == np.float32)


def test_a_vector_is_as_long_as_may_be_and_holds_nothing_else():
    longest = [0.001] * wire.LARGEST_VECTOR
    for data, read in ((_data(*longest), True), (_data(*longest, 0.001), False), (_data(0.1) + "\n", False)):
        body = json.dumps({"mode": "dense", "k": 1, "vector": {"encoder": "e", "data": data}}).encode()
        if read:
            assert len(Search.from_bytes(body).vector) == wire.LARGEST_VECTOR
        else:
            with pytest.raises(WireError, match="is not valid"):
                Search.from_bytes(body)


def test_what_is_sent_holds_what_is_needed_and_nothing_else():
    assert Search("lexical", 3, "ä", None, None).to_bytes() == '{"mode":"lexical","k":3,"text":"ä"}'.encode()
    assert json.loads(Search("dense", 1, None, VECTOR, "tiny", True).to_bytes()) == {
        "mode": "dense",
        "k": 1,
        "vector": {"encoder": "tiny", "data": _data(*VECTOR)},
        "vectors": True,
    }
    with pytest.raises(ValueError, match="not JSON compliant"):
        wire.dumped({"score": math.nan})


def test_ids_come_back_as_they_were_sent():
    for ids in ([], ["p", "", "ä"], ["p"] * wire.MOST):
        assert wire.ids_from_bytes(wire.dumped({"ids": ids})) == ids
    for wrong in (["p"] * (wire.MOST + 1), "p", None, [1], ["p", None]):
        with pytest.raises(WireError, match="the field ids is not valid"):
            wire.ids_from_bytes(wire.dumped({"ids": wrong}))


def test_hits_that_score_alike_come_by_their_ids():
    hits = [(Passage(id, "d", "wiki", "", "", 0, 0), score) for id, score in (("b", 1.0), ("a", 1.0), ("c", 2.0))]
    ranking, _, _ = wire.hits_from_bytes(wire.hits_to_bytes(hits, b"q"), b"q", "wiki", 3)
    assert ranking == [("c", 2.0), ("a", 1.0), ("b", 1.0)]


@pytest.mark.parametrize("body", [b'{"k":NaN}', b'{"k":Infinity}', b"{", b"[1]", b'"x"', b"null"])
def test_what_is_no_object_is_refused(body):
    with pytest.raises(WireError, match="the body is not valid"):
        wire.parsed(body)


@pytest.mark.parametrize(
    ("answer", "field"),
    [
        ({"hits": None}, "hits"),
        ({"hits": {}}, "hits"),
        ({"hits": [1]}, "hits"),
        ({"hits": [{}]}, "id"),
        ({"to": None, "hits": []}, "to"),
    ],
)
def test_an_answer_of_another_shape_is_refused_by_what_is_wrong(answer, field):
    with pytest.raises(WireError, match=f"the field {field} is not valid"):
        wire.hits_from_bytes(json.dumps({"to": wire.digest(b"q"), **answer}).encode(), b"q", "wiki", 1)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(body):
    for read in (Search.from_bytes, About.from_bytes, wire.ids_from_bytes):
        with pytest.raises(WireError):
            read(body)
    for deep in (b"[" * 100_000, b"[]", b"1" * 5000):
        with pytest.raises(WireError):
            wire.parsed(deep)


def test_what_is_served_comes_back():
    about = About("wiki", "minilm", 384, 2, 3, 3, 0)
    assert About.from_bytes(about.to_bytes()) == about
    assert json.loads(about.to_bytes())["api"] == list(wire.API)
    long = About("w" * 64, "e" * 200, 0, 0, 0, 2**53, 0)
    assert About.from_bytes(long.to_bytes()) == long
    for wrong in (replace(long, enclave="w" * 65), replace(long, encoder="e" * 201), replace(long, vectors=2**53 + 1)):
        with pytest.raises(WireError):
            About.from_bytes(wrong.to_bytes())
    with pytest.raises(WireError, match="passages"):
        About.from_bytes(about.to_bytes().replace(b'"passages":3', b'"passages":-3'))
