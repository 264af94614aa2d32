"""Citations are verbatim, sentence-sized, and dropped when the store disagrees."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.citations import LONGEST, cite, cited, excerpts, once, place_in, quoted
from answerable.corpora.outline import nest
from answerable.corpora.tables import table_document
from answerable.types import PUBLIC, Candidate, Chain, Citation, Document, Hit, Passage, Skill

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


def test_a_stored_document_is_looked_up_once_and_one_kept_elsewhere_for_each_passage():
    asked = []
    text = "The lamp was lit. It burned well."
    first, second = passage("lamp", text[:17]), passage("lamp", text[18:], start=18)

    def stored(one: Passage) -> Document | None:
        asked.append(one)
        return None if one.document_id == "gone" else Document("lamp", "wiki", "lamp", text, "lamp.md")

    def elsewhere(one: Passage) -> Document:
        asked.append(one)
        return Document("lamp", "wiki", "lamp", one.text, "wiki", offset=one.start)

    find = once(stored)
    assert find(first) is find(second) is find(first) and find(passage("gone", "x")) is find(passage("gone", "y"))
    assert [one.text for one in asked] == [first.text, "x"]
    asked.clear()
    find = once(elsewhere)
    assert [find(one).text for one in (first, second, first, second)] == 2 * [first.text, second.text]
    assert asked == [first, second]


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
    made = cite("Where was the inventor of the sun valve born?", "Stenstorp", candidate(chain, 1, "Stenstorp"), changed)
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


def middle(text: str, answer: str, start: int = 7) -> tuple[str, int, int]:
    """The answer's citation, in a passage that begins at character `start`: its text and where in the passage it is."""
    chain = chain_of(passage("d", text, start=start))
    (made,) = cite("?", answer, candidate(chain, 0, answer), finder(d="-" * start + text))
    assert made.text == text[made.start - start : made.end - start]
    return made.text, made.start - start, made.end - start


def test_a_long_sentence_is_cut_as_far_from_the_answer_as_there_is_room():
    """238 characters on either side of four: from the first word that begins there to the last that ends there."""
    words = " ".join(f"w{n:03}" for n in range(300))
    assert middle(words, "w150")[1:] == (5 * 103, 5 * 198 - 1)
    rows = "\n".join(f"row {n:03} of it" for n in range(100))  # 14 characters with the line end
    assert middle(rows, "050")[1:] == (14 * 34, 14 * 67 - 1)
    one = "x" * 500 + "Y" + "x" * 499
    assert middle(one, "Y")[1:] == (500 - 239, 501 + 239)


def test_a_long_sentence_is_not_cut_where_it_begins_or_ends_near_the_answer():
    words = " ".join(f"w{n:03}" for n in range(300))
    assert middle(words, "w040")[1:] == (0, 5 * 88 - 1)
    assert middle(words, "w290")[1:] == (5 * 243, len(words))
    for spare in (0, 1):  # its first or last character is the last there is room for, or the one after
        edge = "x" * (239 + spare) + "Y" + "x" * 500
        assert middle(edge, "Y")[1:] == (spare, spare + 479)
        assert middle(edge[::-1], "Y")[1:] == (len(edge) - spare - 479, len(edge) - spare)
    assert middle("a " + "x" * 237 + "Y" + "x" * 500, "Y")[1] == 0


def test_only_what_is_longer_than_may_be_is_cut():
    for length in (LONGEST, LONGEST + 1):
        text = "Y" + "x" * (length - 1)
        assert len(middle(text, "Y")[0]) == (LONGEST if length == LONGEST else 240)
    long = "x" * (LONGEST + 50)
    assert middle("y" * 300 + long + "z" * 300, long)[1:] == (300, 300 + len(long))


def test_what_is_quoted_is_cut_between_380_and_430_characters():
    text = "x" * 10 + " ".join(f"w{n:03}" for n in range(300))
    document = Document("d", "notes", "Notes", text, "d.md")
    assert quoted(document, 10, len(text)) == Citation(text[10:439], "d", "notes", 10, 439, "Notes", "d.md")
    solid = Document("d", "notes", "Notes", "y" * 1000, "d.md")
    assert (quoted(solid, 3, 1000).start, quoted(solid, 3, 1000).end) == (3, 3 + 430)
    part = passage("d", solid.text, "notes")
    found = cited(part, 3, 1000, lambda _: solid)
    assert found == Citation("y" * 240, "d", "notes", 3, 3 + 240, "Notes", "d.md")


def test_a_span_that_ends_where_a_sentence_begins_does_not_touch_it():
    chain = chain_of(passage("d", DALEN))
    born, died = DALEN.index("He was"), DALEN.index("He died")
    for start, end in ((born, died), (born - 1, died - 1)):
        (made,) = cite("?", "x", Candidate("x", 1.0, chain, 0, start, end), finder(d=DALEN))
        assert (made.start, made.end) == (start, end)


def supported(text: str, question: str, links: tuple[str, ...] = (), title: str = "d", start: int = 20) -> str:
    """The sentence of a passage that is cited beside the answer's, which stands elsewhere."""
    here = Passage("p", "d", "wiki", title, text, start, start + len(text))
    others = [passage(link, "Yes.") for link in links or ("answer",)]
    found = {"d": "-" * start + text} | {other.document_id: other.text for other in others}
    chain = chain_of(*others, here)
    made = cite(question, "Yes", candidate(chain, 0, "Yes"), finder(**found))
    (one,) = [citation for citation in made if citation.document == "d"]
    assert one.text == found["d"][one.start : one.end]
    return one.text


def test_the_sentence_that_supports_shares_most_with_the_question_and_twice_that_with_other_titles():
    text = "Ada met Bob. Bob lit the lamp of the tower. Cyd saw the valve."
    assert supported(text, "Who met whom?") == "Ada met Bob."
    assert supported(text, "Whose lamp lit the tower?") == "Bob lit the lamp of the tower."
    assert supported(text, "The lamp of the tower?", ("valve",)) == "Bob lit the lamp of the tower."  # 2 and 2
    assert supported(text, "The lamp?", ("valve",)) == "Cyd saw the valve."
    assert supported(text, "Why Ada, and why the lamp?") == "Ada met Bob."  # the first of those that share as much
    assert supported(text, "The lamp?", title="Cyd and the valve") == "Bob lit the lamp of the tower."
    assert supported("Bob lit it. A valve valve.", "The valve? Bob lit it?", ("valve",)) == "Bob lit it."  # not twice
    assert (
        supported("Some keeper lit each of seven small old wicks. Bob lit the lamp.", "Bob lit?") == "Bob lit the lamp."
    )


def test_a_heading_supports_nothing_and_takes_no_sentence_with_it() -> None:
    text = "# Oil lamps\nThe lamp burns acetylene and was lit in 1844. It is old and oil is gone.\n## Where\nOn a rock."
    assert supported(text, "What does the lamp burn, and when was it lit?") == text[12:57]
    assert supported(text, "Where is the rock?") == "On a rock."
    hashed = "#1 seller of lamps in 1844 was Smith. Others sold none."
    assert supported(hashed, "Who was the seller of lamps in 1844?") == "#1 seller of lamps in 1844 was Smith."
    assert supported("# Lamps", "Lamps?") == "# Lamps"


def test_a_passage_that_the_answer_does_not_rest_on_is_not_cited() -> None:
    chain = chain_of(passage("rock", "The lamp burns on the rock."), passage("cat", "Cats sleep all day."))
    made = cite(
        "Where does the lamp burn?",
        "the rock",
        candidate(chain, 0, "the rock"),
        finder(rock="The lamp burns on the rock.", cat="Cats sleep all day."),
    )
    assert [c.document for c in made] == ["rock"]


def test_a_sentence_that_does_not_bear_on_it_is_not_cited_though_its_passage_does() -> None:
    found = {"rock": "Kim lit the lamp on the rock.", "mail": "FYI. The lamp and Ann.", "cat": "FYI. Thanks, Kim."}
    for other, named in (("mail", []), ("cat", ["Thanks, Kim."])):  # which names the answer
        chain = chain_of(passage("rock", found["rock"]), passage(other, found[other]))
        told = cite("Who lit the lamp?", "Kim", candidate(chain, 0, "Kim"), finder(**found))
        assert [one.text for one in told] == [found["rock"], *named]


def test_excerpts_mark_the_sentence_of_the_best_answer_and_else_the_nearest_one() -> None:
    texts = {"rock": "It is old. The lamp burns on the rock.", "cat": "Cats sleep. A lamp is warm."}
    chain = chain_of(*(passage(name, text) for name, text in texts.items()))
    best = candidate(chain, 0, "old")
    made = excerpts("Where does the lamp burn?", chain.hits, 5, finder(**texts), best)
    assert [texts[one.hit.passage.document_id][one.start : one.end] for one in made] == [
        "It is old.",
        "A lamp is warm.",
    ]
    (first,) = excerpts("Where does the lamp burn?", chain.hits, 1, finder(**texts))
    assert texts["rock"][first.start : first.end] == "The lamp burns on the rock."
    assert excerpts("lamp", chain.hits, 5, finder(cat=texts["cat"]))[0].hit == chain.hits[1]  # the other is gone


def test_a_copy_is_no_excerpt_beside_what_it_is_a_copy_of() -> None:
    one = passage("rock", "The lamp burns on the rock.")
    copy = replace(one, id="moved/rock", document_id="moved", enclave="mail")
    made = excerpts("Where is the lamp?", chain_of(one, copy).hits, 5, finder(rock=one.text, moved=one.text))
    assert [each.hit.passage for each in made] == [one]


def test_a_long_sentence_that_supports_is_cut_from_its_start():
    text = "Ada met Bob. " + " ".join(f"w{n:03}" for n in range(150))
    assert supported(text, "w001 w149?") == text[13 : 13 + 5 * 48 - 1]


def test_the_lines_over_a_mail_support_nothing_unless_there_is_nothing_else():
    header, body = "From: Ada about the lamp of the tower.", "We met at the tower."
    assert supported(f"{header} {body}", "The lamp of the tower?") == body
    assert supported(header, "The lamp of the tower?") == header


def test_a_passage_of_blanks_supports_nothing():
    chain = chain_of(passage("valve", VALVE), passage("d", "  \n "))
    made = cite("Who?", "Gustaf", candidate(chain, 0, "Gustaf"), finder(valve=VALVE, d="  \n "))
    assert [citation.document for citation in made] == ["valve"]


def test_a_place_is_the_innermost_heading_and_the_page() -> None:
    text = "One\nalpha\nTwo\nbeta\ngamma"
    sections = nest([(0, 1, "One"), (10, 2, "Two")], len(text))
    made = Document("d", "notes", "One", text, "d.pdf", "pdf", sections, {"pages": [0, 19]})
    assert [place_in(made, text.index(word)) for word in ("alpha", "beta", "gamma")] == [
        "page 1",
        "§ Two, page 1",
        "§ Two, page 2",
    ]
    assert quoted(made, 19, 24).place == "§ Two, page 2"
    assert place_in(Document("d", "notes", "t", "words", "d.txt"), 0) is None
    assert place_in(replace(made, kind="mail", meta={}), 15) is None


def test_a_place_in_a_table_is_the_row() -> None:
    record = {
        "header": ["Name", "Born"],
        "section_text": "All of them.",
        "title": "T",
        "rows": [["Ada", "1815"], ["Bo", "1901"]],
    }
    made = table_document(record, "t", "s", "e", 0)
    assert made is not None
    text = made.text
    assert [place_in(made, text.index(word)) for word in ("All", "Ada", "1901")] == [None, "row 1", "row 2"]


def test_a_heading_supports_nothing_where_a_sentence_does():
    text = "The next meeting\n\nWe meet at the inn on 7 June.\n\nBring the plan of the meeting."
    document = Document("d", "wiki", "d", text, "d.md", "markdown", nest([(0, 1, "The next meeting")], len(text)))
    (made,) = excerpts("When is the next meeting?", chain_of(passage("d", text)).hits, 1, lambda _: document)
    assert text[made.start : made.end] == "Bring the plan of the meeting."
    (alone,) = excerpts("meeting", chain_of(passage("d", text[:16])).hits, 1, lambda _: document)
    assert text[alone.start : alone.end] == "The next meeting"
