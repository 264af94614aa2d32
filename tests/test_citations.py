"""Citations are verbatim, sentence-sized, and dropped when the store disagrees."""

from hypothesis import given
from hypothesis import strategies as st

from answerable.citations import LONGEST, cite, cited, quoted
from answerable.types import PUBLIC, Candidate, Chain, Document, Hit, Passage, Skill

VALVE = "The sun valve turns a gas flame off in daylight. Gustaf Dalén invented it in 1907. It has no electrical parts."
DALEN = "Preface of the page. Gustaf Dalén was an engineer. He was born at Stenstorp in 1869. He died in 1937."


def passage(document: str, text: str, enclave: str = "wiki", start: int = 0) -> Passage:
    return Passage(
        f"{document}@{start}-{start + len(text)}", document, enclave, document, text, start, start + len(text)
    )


def chain_of(*passages: Passage) -> Chain:
    return Chain(tuple(Hit(p, 1.0, PUBLIC, Skill.SINGLE) for p in passages), 1.0, PUBLIC)


def finder(**texts: str):
    return lambda p: (
        Document(p.document_id, p.enclave, p.title, texts[p.document_id], f"{p.document_id}.md")
        if p.document_id in texts
        else None
    )


def candidate(chain: Chain, hit: int, text: str) -> Candidate:
    p = chain.hits[hit].passage
    at = p.start + p.text.index(text)
    return Candidate(text, 1.0, chain, hit, at, at + len(text))


def test_the_answers_sentence_comes_first_and_the_bridge_follows():
    chain = chain_of(passage("valve", VALVE), passage("Gustaf Dalén", DALEN))
    found = finder(**{"valve": VALVE, "Gustaf Dalén": DALEN})
    first, second = cite(
        "Where was the inventor of the sun valve born?", "Stenstorp", candidate(chain, 1, "Stenstorp"), found
    )
    assert first.text == "He was born at Stenstorp in 1869."
    assert (
        second.text == "Gustaf Dalén invented it in 1907."
    )  # what names the next passage beats the question's own words
    assert DALEN[first.start : first.end] == first.text and VALVE[second.start : second.end] == second.text
    assert first.source == "Gustaf Dalén.md"


def test_offsets_count_in_the_document_not_in_the_passage():
    text = "An earlier passage. " + DALEN
    chain = chain_of(passage("d", DALEN, start=20))
    (made,) = cite("Where was he born?", "Stenstorp", candidate(chain, 0, "Stenstorp"), finder(d=text))
    assert text[made.start : made.end] == made.text == "He was born at Stenstorp in 1869."


def test_an_answer_at_either_end_of_a_passage_is_cited():
    text = "An earlier passage. " + DALEN
    chain = chain_of(passage("d", DALEN, start=20))
    for answer, sentence in (("Preface", "Preface of the page."), ("1937.", "He died in 1937.")):
        (made,) = cite("What?", answer, candidate(chain, 0, answer), finder(d=text))
        assert text[made.start : made.end] == made.text == sentence


def test_a_span_that_is_not_inside_the_passage_is_not_cited():
    text = "An earlier passage. " + DALEN + " A later one."
    chain = chain_of(passage("d", DALEN, start=20))
    end = 20 + len(DALEN)
    for start, stop in ((19, 25), (end - 3, end + 1), (30, 30), (31, 30)):
        assert cite("What?", "x", Candidate("x", 1.0, chain, 0, start, stop), finder(d=text)) == ()


def test_a_document_kept_elsewhere_is_quoted_by_its_own_characters():
    """Of it there is only the passage that came: its text begins at the passage's start."""
    part = passage("d", DALEN, start=1000)
    elsewhere = Document("d", "wiki", "d", DALEN, "http://there", offset=1000)
    (made,) = cite("Where?", "Stenstorp", candidate(chain_of(part), 0, "Stenstorp"), lambda _: elsewhere)
    assert made.text == "He was born at Stenstorp in 1869."
    assert (made.start, made.end) == (1000 + DALEN.index("He was"), 1000 + DALEN.index(" He died"))
    assert cite("Where?", "Stenstorp", candidate(chain_of(part), 0, "Stenstorp"), finder(d=DALEN)) == ()


def test_a_citation_that_no_longer_matches_is_dropped():
    chain = chain_of(passage("valve", VALVE), passage("d", DALEN))
    changed = finder(valve=VALVE, d=DALEN.replace("Stenstorp", "Stockholm"))
    made = cite("Where was the inventor born?", "Stenstorp", candidate(chain, 1, "Stenstorp"), changed)
    assert [c.document for c in made] == ["valve"]
    assert cite("Where?", "Stenstorp", candidate(chain, 1, "Stenstorp"), finder()) == ()


def test_a_span_over_a_sentence_end_takes_both_sentences():
    chain = chain_of(passage("d", DALEN))
    (made,) = cite("When?", "1869. He", candidate(chain, 0, "1869. He"), finder(d=DALEN))
    assert made.text == "He was born at Stenstorp in 1869. He died in 1937."


def test_a_yes_is_cited_by_its_best_sentence():
    chain = chain_of(passage("d", DALEN))
    whole = Candidate("yes", 1.0, chain, 0, 0, len(DALEN))
    (made,) = cite("Was Dalén born at Stenstorp?", "yes", whole, finder(d=DALEN))
    assert made.text == "He was born at Stenstorp in 1869."


def test_a_sentence_without_an_end_is_cut_around_the_answer():
    rows = "\n".join(f"order {n}, quantity {n * 7}, status open" for n in range(200))
    chain = chain_of(passage("orders", rows))
    (made,) = cite("What is the quantity of order 120?", "840", candidate(chain, 0, "840"), finder(orders=rows))
    assert "quantity 840" in made.text and len(made.text) <= LONGEST
    assert rows[made.start : made.end] == made.text


@given(st.integers(1, 200), st.data())
def test_a_quoted_span_is_word_for_word_and_not_too_long(words: int, data: st.DataObject) -> None:
    text = " ".join(f"w{number}" for number in range(words))
    document = Document("d", "notes", "Notes", text, "d.md")
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    cited = quoted(document, start, end)
    assert cited.text == text[cited.start : cited.end] and len(cited.text) <= LONGEST
    assert cited.start == start and cited.end <= end
    assert cited.end == end or len(cited.text) > LONGEST / 2
    assert (cited.document, cited.enclave, cited.source) == ("d", "notes", "d.md")


def test_characters_of_a_passage_are_cited_where_they_still_stand():
    part = passage("valve", VALVE[49:], start=49)
    found = cited(part, 49, 82, finder(valve=VALVE))
    assert found is not None and found.text == "Gustaf Dalén invented it in 1907." and found.source == "valve.md"
    assert cited(part, 49, 82, finder(valve=VALVE.upper())) is None
    assert cited(part, 49, 82, finder()) is None
    long = "word " * 400
    cut = cited(passage("long", long), 0, len(long), finder(long=long))
    assert cut is not None and len(cut.text) <= LONGEST and long.startswith(cut.text)
