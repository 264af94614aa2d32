"""Constraints that say only a field, read as filters; and what the fields of an enclave answer of them."""

from __future__ import annotations

import random

import pytest

from answerable.corpora.fields import UNFILTERED, Filter
from answerable.sets.by_fields import filters, known, parted, read, settled, within
from answerable.sets.expression import Atom, Expression, Minus, atoms, every, members, read_expression, some
from answerable.sets.plainly import in_their_year, plain_dates, plain_senders

MAIL = ("mail",)
ROWS = [
    ("a", "mail", "kim watson kim @ x example", "lee huber lee @ y example", "2001-05-04"),
    ("note", "text", "", "", "2001-05-04"),
    ("b", "mail", "lee huber lee @ y example", "kim watson kim @ x example\nann ann @ x example", "2001-06-01"),
    ("c", "chat", "ann ann @ x example", "", "2001-06-01"),
    ("d", "mail", "kim watson kim @ x example", "ann ann @ x example", ""),
]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("mails from Kim Watson", Filter('"Kim Watson"', kinds=MAIL)),
        ("from Kim Watson", Filter('"Kim Watson"')),
        ("sent by kim", Filter('"kim"')),
        ("E-mails written by Kim", Filter('"Kim"', kinds=MAIL)),
        ("messages sent to Kim", Filter(to='"Kim"', kinds=("mail", "chat"))),
        ("from Kim to Lee after May 2001", Filter('"Kim"', '"Lee"', after="2001-06-01")),
        ("everything from Bank of America", Filter('"Bank of America"')),
        ("mails", Filter(kinds=MAIL)),
        ("in May 2001", Filter(after="2001-05-01", before="2001-06-01")),
        ("mails dated 4 May 2001", Filter(after="2001-05-04", before="2001-05-05", kinds=MAIL)),
        ("since 2001", Filter(after="2001")),
        ("before 4 May 2001", Filter(before="2001-05-04")),
        ("until May 2001", Filter(before="2001-06-01")),
        ("between May 2001–July 2001", Filter(after="2001-05-01", before="2001-08-01")),
        ("since May 2001 until 2002", Filter(after="2001-05-01", before="2003-01-01")),
    ],
)
def test_a_field_is_read(said: str, wanted: Filter) -> None:
    assert read(said) == wanted


@pytest.mark.parametrize(
    "said",
    [
        *("films from France", "mails about Kim", "mails from", "after the war", "in California", "sent", "of a mail"),
        *("before lunch", "between Kim and Lee", "written in Perl", "from 3", "mailing lists", ""),
    ],
)
def test_anything_else_is_not(said: str) -> None:
    assert read(said) is None


def test_the_filters_of_an_expression_are_those_of_its_constraints() -> None:
    tree = read_expression('("mails" and "about gas") minus "from Kim"')
    assert filters(tree) == {"mails": Filter(kinds=MAIL), "from Kim": Filter('"Kim"')}


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("mails after May 4, 2001", "mails after May 4 2001"),
        ("mails between May 4, 2001 and July 2001 about gas", "mails between May 4 2001–July 2001 about gas"),
        ("mails between 10 and 14 May 2001", "mails between 10 May 2001–14 May 2001"),
        ("mails from before May 2001", "mails before May 2001"),
        ("built between 1990 and 2000.", "built between 1990–2000."),
        ("mails between Kim and Lee", "mails between Kim and Lee"),
        ("in 1999, 2000 and 2001", "in 1999, 2000 and 2001"),
        ("trails between 100 and 200 km", "trails between 100–200 km"),
        ("prizes between $5 and $10 million", "prizes between $5–$10 million"),
    ],
)
def test_dates_are_not_taken_apart(query: str, plain: str) -> None:
    assert plain_dates(query) == plain


def _fits(*said: str) -> dict[str, set[str]]:
    return {text: set(fit) for text, fit in known(filters(some(*map(Atom, said))), ROWS).fits.items()}


def test_an_enclave_answers_what_its_own_mail_can() -> None:
    assert _fits("from Kim", "to Kim", "from Nobody") == {"from Kim": {"a", "d"}, "to Kim": {"b"}}
    assert _fits("from France", "from Kim to France", "from exam") == {}
    assert _fits("mails", "messages") == {"mails": {"a", "b", "d"}, "messages": {"a", "b", "c", "d"}}
    assert _fits("before 2001", "in May 2001") == {"before 2001": set(), "in May 2001": {"a"}}
    assert known(filters(Atom("from Kim")), ROWS[1:2]).fits == {} == known(filters(Atom("after 2000")), ROWS[4:]).fits
    assert known(filters(Atom("mails from Kim")), ROWS[1:2]).fits == {
        "mails from Kim": frozenset()
    }  # there are no mails


def test_what_is_known_is_said_of_mail_alone_the_newest_first() -> None:
    held = known(filters(Atom("from Kim")), ROWS)
    assert list(held.days) == ["c", "b", "a", "d"] and held.others == ("note",)
    assert held.of("a") == {"from Kim": True} and held.of("b") == {"from Kim": False} and held.of("note") == {}
    named = known(filters(some(Atom("mails from Nobody"), Atom("in 2001"))), ROWS)
    assert named.of("note") == {"mails from Nobody": False} and named.of("a") == {"in 2001": True}


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("emails Kim sent", "emails from Kim"),
        ("mails that Kim Lee wrote to Ann about gas", "mails from Kim Lee to Ann about gas"),
        ("everything Kim has sent me about gas", "everything from Kim about gas"),
        ("mails I received from Kim", "mails from Kim"),
        *(
            (one, one)
            for one in ("mails I sent", "mails that were sent in May", "films Kim sent up", "emails Kim read")
        ),
    ],
)
def test_who_sent_a_mail_may_be_said_before_the_verb(query: str, plain: str) -> None:
    assert plain_senders(query) == plain


FILED = [
    ("home/Papers/2020/a.md", "markdown", "", "", ""), ("home/b.csv", "table", "", "", ""), ("c", "record", "", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "meant", "among"),
    [
        ('"notes about gas"', '"about gas"', Filter(enclaves=("notes",))),
        ('"Notes that mention Kim"', '"that mention Kim"', Filter(enclaves=("notes",))),
        ('"notes" and "with Kim" or "notes with Ann"', '"with Kim" or "with Ann"', Filter(enclaves=("notes",))),
        ('"oil notes"', '"oil"', Filter(enclaves=("notes",))),
        ('"my notes" minus "oil notes"', '"documents" minus "oil"', Filter(enclaves=("notes",))),
        ('"notes" minus "about gas"', '"documents" minus "about gas"', Filter(enclaves=("notes",))),
        ('"letters" and "from May"', '"from May"', Filter(enclaves=("letter",))),
        ('"notes about gas" or "notes about oil"', '"about gas" or "about oil"', Filter(enclaves=("notes",))),
        ('"notes dated March 2026"', '"documents dated March 2026"', Filter(enclaves=("notes",))),
        ('"notes written in 2026"', '"documents written in 2026"', Filter(enclaves=("notes",))),
        ('"notes" and "after 1 March 2026"', '"documents after 1 March 2026"', Filter(enclaves=("notes",))),
        ('"papers" and "that use lamps"', '"that use lamps"', Filter(folders=("papers",))),
        ('"papers" minus "Norwegian"', '"documents" minus "Norwegian papers"', Filter(folders=("papers",))),
        ('"old papers that use lamps"', '"old papers" and "that use lamps"', Filter(folders=("papers",))),
        ('"tables about football"', '"about football"', Filter(kinds=("table",))),
        *(
            (one, one, UNFILTERED)
            for one in (
                '"notes about gas" or "letters"', '"mails"', '"lamps" and "notes"', '"records"', '"slides"',
                '"papers shops"',
            )
        ),
    ],
)  # fmt: skip
def test_what_is_asked_for_may_be_called_as_an_enclave_a_folder_or_a_kind_is(
    said: str, meant: str, among: Filter
) -> None:
    found = within(
        read_expression(said),
        UNFILTERED,
        ["wiki", "notes", "letter", "mail"],
        lambda names: FILED if len(names) > 1 else FILED[2:],
    )
    assert found == (read_expression(meant), among)


def test_what_rows_of_tables_that_are_filed_so_are_called_stays() -> None:
    said = read_expression('"members" and "in Oslo"')
    for filed, names, where in (
        ([("members.csv", "table", "", "", "")], ["members"], Filter(enclaves=("members",))),
        (
            [("club/members/a.csv", "table", "", "", ""), ("b.md", "text", "", "", "")],
            ["x"],
            Filter(folders=("members",)),
        ),
    ):
        assert within(said, UNFILTERED, names, lambda _, rows=filed: rows) == (said, where)
    text = [("members/a.md", "text", "", "", ""), ("b.csv", "table", "", "", "")]
    assert within(said, UNFILTERED, ["x"], lambda _: text) == (Atom("in Oslo"), Filter(folders=("members",)))


def test_documents_of_some_days_are_also_those_that_are_no_mail_and_have_a_day() -> None:
    rows = [
        ("notes/a", "text", "", "", "2026-03-02"),
        ("notes/b", "text", "", "", "2026-02-01"),
        ("c", "text", "", "", ""),
    ]
    held = known(filters(some(Atom("documents after 1 March 2026"), Atom("mails"))), rows)
    assert held.fits["documents after 1 March 2026"] == {"notes/a"} and held.others == ("c",)
    assert known(filters(Atom("after 1 March 2026")), rows).fits == {}


@pytest.mark.parametrize(
    ("right", "meant"),
    [
        ("from Kim about gas", '("mails" and "about gas") minus "from Kim"'),
        ("from Kim after 2001", '("mails" and "after 2001") minus "from Kim"'),
        ("about gas", '"mails" minus "about gas"'),
        ("about gas sent after 2001", '("mails" and "sent after 2001") minus "about gas"'),
    ],
)
def test_only_the_first_that_is_said_after_not_is_taken_away_from_mails(right: str, meant: str) -> None:
    assert parted(Minus(Atom("mails"), Atom(right))) == read_expression(meant)
    assert parted(Minus(Atom("films"), Atom(right))) == Minus(Atom("films"), Atom(right))


def test_a_document_says_nothing_of_what_it_is_about() -> None:
    assert parted(Atom("files about the boiler")) == Atom("about the boiler")
    assert parted(Atom("documents with a drawing")) == Atom("with a drawing")
    for said in ("documents from Kim", "documents", "document scanners", "films about oil"):
        assert parted(Atom(said)) == Atom(said)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("mails about a party", '"mails" and "about a party"'),
        ("Emails from Kim in May 2001 about gas", '"Emails from Kim in May 2001" and "about gas"'),
        ("mails that mention Lee", '"mails" and "that mention Lee"'),
        ("messages about a party", '"messages" and "about a party"'),
        ("mail from Kim on gas with numbers", '"mail from Kim" and "on gas with numbers"'),
        ("emails about gas sent in May 2001", '"emails" and "about gas" and "sent in May 2001"'),
        ("mails to Lee about gas before 2001", '"mails to Lee" and "about gas" and "before 2001"'),
        ("mails about gas since 2000 by Lee", '"mails" and "about gas" and "since 2000 by Lee"'),
        ("mails about gas in May 2001", '"mails" and "about gas in May 2001"'),
        ("mails about life after lunch", '"mails" and "about life after lunch"'),
        ("mails asking for lunch", '"mails" and "mails asking for lunch"'),
        ("gas storage mails", '"mails" and "about gas storage"'),
        ("HR emails from Kim about lunch", '"emails from Kim" and "about lunch" and "about HR"'),
        *(
            (plain, f'"{plain}"')
            for plain in (
                "mails from Kim",
                "mails",
                "email clients",
                "films about mails",
                "programs reading mails",
                "Kim's mails",
            )
        ),
    ],
)
def test_what_fields_say_of_mails_is_parted_from_what_text_says(said: str, meant: str) -> None:
    assert parted(Atom(said)) == read_expression(meant)
    assert parted(Minus(Atom("x"), Atom(said))) == Minus(Atom("x"), read_expression(meant))


def test_what_is_taken_from_mails_is_taken_as_mail_already() -> None:
    said = read_expression('("mails about gas" and "mails from Kim") minus ("mails about lunch" or "mails from Kim")')
    meant = '("mails" and "about gas" and "mails from Kim") minus ("about lunch" or "mails from Kim")'
    assert parted(said) == read_expression(meant)
    dated = parted(read_expression('"mails" and "about gas" and "oil before 2001"'))
    assert dated == read_expression('"mails" and "about gas" and "oil" and "before 2001"')
    films = read_expression('"films" and "about oil before 2001"')
    assert parted(films) == films
    both = parted(read_expression('"mails about a" and "mails about b"'))
    assert both == read_expression('"mails" and "about a" and "about b"')


def _tree(chance: random.Random, depth: int = 0) -> Expression:
    if depth > 3 or chance.random() < 0.3:
        return Atom(chance.choice("abcd"))
    parts = [_tree(chance, depth + 1) for _ in range(chance.choice((2, 2, 3)))]
    return chance.choice((lambda: every(*parts), lambda: some(*parts), lambda: Minus(*parts[:2])))()


def test_what_is_settled_is_what_the_set_has_whatever_the_rest_is() -> None:
    chance, told = random.Random(1), {True: 0, False: 0, None: 0}
    for _ in range(400):
        tree = _tree(chance)
        fits = {text: chance.random() < 0.5 for text in atoms(tree)}
        some_fits = {text: fit for text, fit in fits.items() if chance.random() < 0.7}
        whole = "x" in members(tree, {text: frozenset("x" if fit else "") for text, fit in fits.items()})
        assert settled(tree, fits) is whole
        found = settled(tree, some_fits)
        assert found is None or found is whole
        told[found] += 1
    assert min(told.values()) > 30


@pytest.mark.parametrize("said", ["3 May 2021 ", "from Kim to Kim ", "sent in May 2001 ", "between 3 and "])
def test_what_is_said_again_and_again_is_read_at_once(said: str) -> None:
    assert bool(read(said * 100)) == ("sent" in said), "only the days of one mail may be said a hundred times"
    assert parted(Atom(f"mails {said * 100}".strip()))


@pytest.mark.parametrize(
    ("query", "dated"),
    [
        ("mails from Kim before June", "mails from Kim before June 2001"),
        ("mails by the end of May", "mails by the end of May 2001"),
        ("mails in July", "mails in July"),
        ("mails in June 1999", "mails in June 1999"),
        ("bills before June", "bills before June"),
    ],
)
def test_a_month_of_mails_is_the_last_that_there_was(query: str, dated: str) -> None:
    assert in_their_year(query, lambda: ROWS) == dated


@pytest.mark.parametrize(
    ("constraint", "after", "before"),
    [
        ("mails by the end of May 2001", "", "2001-06-01"),
        ("mails before the end of May 2001", "", "2001-06-01"),
        ("mails from the first half of May 2001", "2001-05-01", "2001-05-16"),
        ("mails at the end of May 2001", "2001-05-22", "2001-06-01"),
    ],
)
def test_mails_of_a_part_of_a_month(constraint: str, after: str, before: str) -> None:
    assert read(constraint) == Filter(kinds=MAIL, after=after, before=before)


def test_what_begins_with_of_says_more_of_what_stands_before_it() -> None:
    said = read_expression('"mails" and "in the last week" and "of May 2001"')
    assert parted(said) == read_expression('"mails" and "in the last week of May 2001"')


def test_when_something_was_is_not_when_its_file_was_written() -> None:
    said, where = read_expression('"trips" and "before 2022"'), Filter(folders=("trips",))
    for name, meant in (("trips/Skye.md", "before 2022"), ("trips/2021-05-04 Skye.md", "documents before 2022")):
        filed = [(name, "markdown", "", "", "2026-03-02")]
        assert within(said, UNFILTERED, ["notes"], lambda _, rows=filed: rows) == (Atom(meant), where)
