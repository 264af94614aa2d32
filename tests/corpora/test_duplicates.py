"""Near-duplicate mail: kept once, in whatever form it comes again, and the same after a pause."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.duplicates import Duplicates
from answerable.corpora.passages import split
from answerable.corpora.quotes import quote_sections
from answerable.types import Document, Passage

LETTER = (
    "The crates for the great lens left Leith on Monday evening. They travel by road to Harwich and cross on the night "
    "boat.\n\nPlease have four people and a hoist ready on the quay by nine o'clock on Wednesday. The second crate is "
    "the heavy one, and it must not be tilted."
)


def mail(body: str, sender: str = "Ada", to: str = "Ben", subject: str = "Crates", kind: str = "mail") -> Document:
    head = f"From: {sender}\nTo: {to}\nDate: Friday, 4 January 2019, 08:52\nSubject: {subject}\n\n"
    text = head + body
    name = f"box#{abs(hash((sender, to, subject, body)))}"
    return Document(name, "e", subject, text, "box", kind, quote_sections(text, len(head)))


def kept(*mails: Document) -> list[list[Passage]]:
    duplicates = Duplicates()
    return [duplicates.admit(one, split(one)) for one in mails]


def quoted(body: str) -> str:
    """`body` quoted, its lines broken anew."""
    words = body.split()
    lines = [" ".join(words[start : start + 7]) for start in range(0, len(words), 7)]
    return "On Monday, Ada wrote:\n" + "\n".join(f"> {line}" for line in lines)


def test_a_copy_in_another_folder_is_dropped() -> None:
    assert [len(passages) for passages in kept(mail(LETTER), mail(LETTER))] == [1, 0]
    assert [len(passages) for passages in kept(mail("Thanks."), mail("Thanks."))] == [1, 0]


def test_the_same_letter_to_somebody_else_is_dropped_but_a_short_note_is_not() -> None:
    assert [len(passages) for passages in kept(mail(LETTER), mail(LETTER, to="Cy"))] == [1, 0]
    assert [len(passages) for passages in kept(mail("Thanks."), mail("Thanks.", to="Cy"))] == [1, 1]


def test_of_a_reply_only_what_is_new_is_kept() -> None:
    first, reply = kept(mail(LETTER), mail("We will.\n\n" + quoted(LETTER), sender="Ben", subject="Re: Crates"))
    assert len(first) == 1
    assert [passage.section for passage in reply] == [""] and "We will." in reply[0].text


def test_a_forward_leaves_its_header() -> None:
    note = (
        "---------------------- Forwarded by Ben Orr on 12/14/99 08:15 ---------------------------\n\n"
        "Ada Sele\n12/13/99 11:17 AM\nTo: Ben Orr\ncc:\nSubject: Crates\n\n"
    )
    _, forward = kept(mail(LETTER), mail(note + LETTER, sender="Ben", to="Cy", subject="FW: Crates"))
    assert [passage.text.split("\n")[0] for passage in forward] == ["From: Ben"]


def test_the_original_stays_when_the_reply_comes_first() -> None:
    reply, first, again = kept(
        mail("We will.\n\n" + quoted(LETTER), sender="Ben"),
        mail(LETTER),
        mail("So will we.\n\n" + quoted(LETTER), "Cy"),
    )
    assert [len(reply), len(first), len(again)] == [2, 1, 1]


def test_a_quote_with_something_new_in_it_is_kept() -> None:
    changed = LETTER + " Bring blankets, straps and the long ladder as well, because it will rain hard."
    assert [len(passages) for passages in kept(mail(LETTER), mail("Yes.\n\n" + quoted(changed)))] == [1, 2]


def test_other_documents_are_left_alone() -> None:
    article = mail(LETTER, kind="text")
    assert [len(passages) for passages in kept(article, article, mail(LETTER))] == [1, 1, 1]


letters = st.lists(
    st.tuples(
        st.lists(st.sampled_from(LETTER.replace("\n\n", " ").split(". ")), max_size=4).map(". ".join),
        st.sampled_from(["Ada", "Ben"]),
        st.booleans(),
    ),
    max_size=8,
)


@given(letters, st.integers(0, 8))
def test_going_on_after_a_pause_decides_the_same(drawn: list[tuple[str, str, bool]], pause: int) -> None:
    mails = [mail("Yes.\n\n" + quoted(body) if again else body, sender) for body, sender, again in drawn]
    whole = kept(*mails)
    stored = [passage for passages in whole[:pause] for passage in passages]
    later = Duplicates()
    later.remember(stored)
    assert [later.admit(one, split(one)) for one in mails[pause:]] == whole[pause:]
    assert kept(*mails) == whole


@given(letters)
def test_no_sentence_is_lost(drawn: list[tuple[str, str, bool]]) -> None:
    mails = [mail("Yes.\n\n" + quoted(body) if again else body, sender) for body, sender, again in drawn]
    left = " ".join(passage.text for passages in kept(*mails) for passage in passages).replace(">", " ")
    for body, _, _ in drawn:
        for sentence in filter(None, body.split(". ")):
            assert " ".join(sentence.split()) in " ".join(left.split())
