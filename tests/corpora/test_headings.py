"""Headings of plain text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.headings import is_contents, text_sections


def tree(text: str) -> list[tuple[str, int]]:
    return [(section.title, section.depth) for section in text_sections(text)]


def test_plain_text_headings_must_be_certain() -> None:
    text = (
        "ANNUAL REPORT\n\nWe did well.\n\n1. Sales\n\nThey rose.\n\n1.2 Exports\n\nSo did they.\n\n"
        "Chapter II\n\nOutlook\n-------\n\nA short line\n\nNo. 5 is alive.\n\n2019\n\nNASA\nwas there.\n\n"
    )
    assert [(section.title, section.depth) for section in text_sections(text)] == [
        ("ANNUAL REPORT", 1),
        ("1. Sales", 1),
        ("1.2 Exports", 2),
        ("Chapter II", 1),
        ("Outlook", 2),
    ]


def test_laws_and_contracts() -> None:
    text = (
        "PART ONE\n\nARTICLE IV \u2014 TERM\n\nSection 12.\n\nIt ends.\n\n\u00a7 4\n\nIt goes on.\n\n"
        "Article 5\n\n5.3 Termination.\n\nEither may end it.\n\n(a) Notice\n\nIn writing.\n\n(b) Delay\n\nNone.\n\n"
        "ARTICLE VI\nFEES AND COSTS\n\nNone are due.\n\nSection 7 of the Act applies.\n\n\u00a7\u00a712a Costs\n\nAll."
    )
    assert tree(text) == [
        ("PART ONE", 1),
        ("ARTICLE IV \u2014 TERM", 1),
        ("Section 12.", 2),
        ("\u00a7 4", 2),
        ("Article 5", 1),
        ("5.3 Termination.", 2),
        ("(a) Notice", 3),
        ("(b) Delay", 3),
        ("ARTICLE VI FEES AND COSTS", 1),
        ("\u00a7\u00a712a Costs", 2),
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("12.3 Termination. Either party may end it.\nAt once.", "12.3 Termination"),
        ("Section 12. Liability. The seller pays.", "Section 12. Liability"),
        ("\u00a7 4. Scope \u2014 what is covered. It covers all of it.", "\u00a7 4. Scope \u2014 what is covered"),
        ("Section 12. The seller shall pay whatever the buyer asks of them in writing.", "Section 12"),
    ],
)
def test_a_number_and_title_that_open_a_paragraph(text: str, title: str) -> None:
    (section,) = text_sections(f"Before it.\n\n{text}\n\nMore.")
    assert section.title == title and section.depth in (1, 2)


@pytest.mark.parametrize(
    "text",
    [
        "Section 12 applies to all tenants.",
        "12.3 of them were lost.",
        "3.5 million people live there. They are many.",
        "Part of it is gone",
        "(a) Apples\n\n(b) Pears\n\n(c) Plums",
        "1. Introduction ........ 3",
        "1.1 Terms . . . . . . 4",
        "APPENDIX A          12",
        "1. Open the box.",
        "Title to the land passes",
    ],
)
def test_what_only_looks_like_a_heading(text: str) -> None:
    assert tree(f"Before it.\n\n{text}\n\nAfter it.") == []


def test_numbers_with_a_stop_are_headings_where_there_are_several() -> None:
    terms = "1. Definitions.\n\nThis means that.\n\n2. Grant of License. You may do\nwhatever you like.\n\n"
    assert tree(terms) == []
    assert tree(f"{terms}3. Other Terms.\n\nThere are none.") == [
        ("1. Definitions.", 1),
        ("2. Grant of License", 1),
        ("3. Other Terms.", 1),
    ]
    steps = "1. Open the box.\n\n2. Take the lens.\n\n3. Close the box.\n\n4. Leave.\n\nThat is all."
    assert tree(steps) == []


def test_a_number_lies_below_the_wider_one() -> None:
    text = "The Terms\n=====\n\n1. Words\n-----\n\nNone.\n\n1.1. Big\n\nA.\n\n1.1.1. Bigger\n\nB.\n\n7.1 Lost\n\nC."
    assert tree(text) == [("The Terms", 1), ("1. Words", 2), ("1.1. Big", 3), ("1.1.1. Bigger", 4), ("7.1 Lost", 2)]
    assert tree("Part 1\n\nArticle 4\n\n4.2 Fees\n\nNone.")[2] == ("4.2 Fees", 3)


def test_numbers_of_an_rfc() -> None:
    text = "1.  Introduction\n\n   It is so.\n\n1.1.  Terms\n\n   None.\n\nAppendix A.  More\n\n   So.\n"
    assert tree(text) == [("1.  Introduction", 1), ("1.1.  Terms", 2), ("Appendix A.  More", 1)]


def test_lines_of_contents() -> None:
    assert is_contents("Fees ..... 12") and is_contents("Preface .... iv") and not is_contents("in 1999")


LINES = st.sampled_from(["1. Fees", "2. Terms", "2.1 Oars", "§ 3 Fees", "Article 4", "None."])


@given(st.lists(LINES | st.text(alphabet="1.2(a)§ ASection\n=-", max_size=20), max_size=12).map("\n\n".join))
def test_any_text_has_ordered_sections_within_it(text: str) -> None:
    sections = text_sections(text)
    starts = [section.start for section in sections]
    assert starts == sorted(set(starts))
    assert all(0 <= section.start < section.end <= len(text) and section.depth >= 1 for section in sections)


@pytest.mark.parametrize(
    "piece", ["1. A\n\n", "(a) B\n\n", "x", " ", "1.1 A. ", "ARTICLE I\nA B\n\n", "ARTICLE I\n\n", "a\t \t"]
)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    began = time.process_time()
    text_sections(piece * (100_000 // len(piece)))
    text_sections(f"a{piece * (100_000 // len(piece))}b")
    assert time.process_time() - began < 2


def test_lines_that_each_stand_further_in_cost_no_more() -> None:
    began = time.process_time()
    text_sections("\n\n".join(" " * n + "a" for n in range(3_000)))
    assert time.process_time() - began < 4


def test_lists_of_contents_are_no_headings() -> None:
    """Neither the one in front nor that of a chapter, in which the numbers stand before blanks that do not break."""
    contents = "1. Boats\n\n   1.1. Sails\n\n   1.2. Oars\n\n2. Lamps\n\n   2.1. Wicks\n\n"
    own = "   1.1. Sails\n\n   1.2. Oars\n\n"
    first = f"Chapter\xa01.\xa0Boats\n\n{own}1.1.\xa0Sails\n\nOf linen.\n\n1.2.\xa0Oars\n\nOf ash.\n\n"
    second = "Chapter\xa02.\xa0Lamps\n\n2.1.\xa0Wicks\n\nOf cotton.\n"
    text = contents + first + second
    found = text_sections(text)
    assert [one.title for one in found] == [
        "Chapter 1. Boats",
        "1.1. Sails",
        "1.2. Oars",
        "Chapter 2. Lamps",
        "2.1. Wicks",
    ]
    assert all(one.start >= len(contents) for one in found)
    assert [text[one.start :].split("\n\n")[1] for one in found[1:3]] == ["Of linen.", "Of ash."]


@pytest.mark.parametrize(
    "lines",
    [
        "PART I|CHAPTER I|GENERAL PROVISIONS|Article 1|Boats float.|CHAPTER II|OARS|Article 3|Of ash.|"
        "PART II|CHAPTER I|SAILS|Article 4|Of linen.",
        "TITLE I|CHAPTER 1|SECTION 1|Article 1|One.|SECTION 2|Article 2|Two.|CHAPTER 2|SECTION 1|Article 3|Three.|"
        "TITLE II|CHAPTER 1|SECTION 1|Article 4|Four.",
        "BOOK ONE|PART ONE|CHAPTER ONE|§ 1|One.|BOOK TWO|PART ONE|CHAPTER ONE|§ 1|One.",
        "SUMMARY|1. Costs|They rose.|2. Income|It fell.|METHODS|1.1 Costs|As before.|SUMMARY|All is well.",
        "NOTES|None were made.|NOTES|None were made.|NOTES|None were made.",
        "1. Boats|Of wood.|2. Oars|Of ash.|3. Lamps|Of brass.|INDEX|1. Boats|2. Oars|3. Lamps",
    ],
)
def test_numbers_and_titles_that_come_again_are_headings(lines: str) -> None:
    """Laws number anew in each part, and a report says its summary twice."""
    headings = [line for line in lines.split("|") if not line.endswith(".")]
    assert [title for title, _ in tree(lines.replace("|", "\n\n"))] == headings


def test_a_list_of_contents_ends_with_its_last_line() -> None:
    """Whatever stands below it, with names in it or without, and with lines that stand for themselves."""
    chapters = "1. Boats\n\nOf wood.\n\n2. Oars\n\nOf ash.\n\n3. Lamps\n\nOf brass.\n"
    for contents in (
        "1. Boats\n\n2. Oars\n\n3. Lamps\n\nThis book tells of boats.\n\n",
        "Chapter 1. Boats\n\nChapter 2. Oars\n\nChapter 3. Lamps\n\n",
    ):
        assert tree(f"CONTENTS\n\n{contents}{chapters}") == [
            ("CONTENTS", 1),
            ("1. Boats", 1),
            ("2. Oars", 1),
            ("3. Lamps", 1),
        ]


def test_first_sentences_are_no_titles_where_most_numbered_paragraphs_have_none():
    plain = "\n\n".join(
        f"4.{n} Leave of the kind {n}, or of another one, is taken in its year. It ends." for n in (4, 5)
    )
    text = f"4 Leave\n\n4.3 Leave is taken in its year. Some is kept.\n\n{plain}\n"
    assert tree(text) == [("4 Leave", 1)]
    titled = "4 Leave\n\n4.1 Length. It is long.\n\n4.2 Year. It ends.\n\n4.3 Leave, or another one, ends. It does.\n"
    assert tree(titled) == [("4 Leave", 1), ("4.1 Length", 2), ("4.2 Year", 2), ("4.3 Leave, or another one, ends", 2)]


MANUAL = """LAMP(5)                  File Formats                  LAMP(5)

NAME
     lamp - how a lamp is set

DESCRIPTION
     A lamp is set by lines of words.  Each line is read once, and what
     comes later counts.

   Wicks and oil
     A wick is cut each day.

     LAMP ::= OIL WICK

     wick      Its length in inches, from the top
               of the burner.

SEE ALSO
     lantern(5)
"""


def test_lines_that_stand_further_out_than_their_text() -> None:
    assert tree(MANUAL) == [("NAME", 1), ("DESCRIPTION", 1), ("Wicks and oil", 2), ("SEE ALSO", 1)]
    log = "".join(f"lamp 1.{n}, stable\n\n  * The wick is longer.\n\n -- Kim, May {n}\n\n" for n in range(1, 5))
    assert tree(log) == [(f"lamp 1.{n}, stable", 1) for n in range(1, 5)]


def test_questions_are_headings_where_they_stand_further_out_or_are_numbered() -> None:
    asked = [
        "Who keeps the lamp?",
        "When may a boat that comes from another harbour land at the pier in winter?",
        "Why?",
    ]
    assert tree("\n\n".join(f"{one}\n\n\tKim said so." for one in asked)) == [(one, 1) for one in asked]
    numbered = [f"{n}. {one}" for n, one in enumerate(asked, 1)]
    assert tree("\n\n".join(f"{one}\n\nKim said so." for one in numbered)) == [(one, 1) for one in numbered]
    assert tree("\n\n".join(numbered)) == [] == tree("\n\n".join(f"{one}\n\nKim said so." for one in asked))


@pytest.mark.parametrize(
    "text",
    [
        "   The keeper was\nasked.\n\n   He came at once\nand lit the lamp.\n\n   So it was\nlit.\n",
        "Oil\n    is burned.\n\nThe lamp burns all night.\n\nWick\n    is cut.\n\nIt is cut at noon.\n",
        "Dear Kim,\n\n    The lamp is lit.\n\nLee\n",
        "One\n\nTwo\n\nThree\n",
    ],
)
def test_text_that_is_not_set_in_has_none(text: str) -> None:
    assert tree(text) == []


def test_a_title_in_the_middle() -> None:
    line = "The keeper of the light was asked to come to the house on the hill at once."
    ends = f"{'The Keeper':>42}", f"{'and then it was late':>47}", f"{'Oil':>30}{'Gas':>14}"
    text = "".join(f"{end}\n\n{line}\n\n" for end in ends)
    assert tree(text) == [("The Keeper", 1)]


def test_headings_that_are_marked_or_underlined() -> None:
    text = (
        "Lamps\n*****\n\nThey burn.\n\n[[oil]]\n== Oil\nIt is kept cold.\n\n"
        "=== Whale ==\n\nIt is rare.\n\nGas\n~~~\n\nIt leaks.\n"
    )
    assert tree(text) == [("Lamps", 1), ("Oil", 2), ("Whale", 3), ("Gas", 3)]
    assert tree("See the lamps of the keeper\n***\n\nIt is 5 == 5 here.\n") == []


def test_lines_below_rules_are_headings_where_each_rule_has_one() -> None:
    parts = [f"Hotel {name}\n\nWe stayed there for {number} nights." for number, name in enumerate("ABC", 2)]
    assert tree("\n\n---\n\n".join(parts)) == [("Hotel A", 1), ("Hotel B", 1), ("Hotel C", 1)]
    assert tree("\n\n* * *\n\n".join(["All hotels", *parts])) == [("Hotel A", 1), ("Hotel B", 1), ("Hotel C", 1)]
    assert tree("\n\n---\n\n".join([*parts, "It rained and we went home."])) == []
    assert tree("\n\n---\n\n".join(parts[:2])) == []
