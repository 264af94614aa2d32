"""The terms of an ask from names and numbers."""

import pytest

from answerable.corpora.fields import Filter
from answerable.engine import OWNER, Terms
from answerable.errors import UsageError
from answerable.types import Answer, Asker, Evidence, Privacy
from answerable.workspace.declarations import FILE_NAME
from answerable.workspace.settings import load
from answerable.workspace.terms import asker_of, terms_of, with_problems

ENCLAVES = """
[enclaves.wiki]
kind = "public"
admits = []
[enclaves.mail]
[askers.guest]
clearance = ["wiki"]
"""


@pytest.fixture
def settings(tmp_path):
    (tmp_path / FILE_NAME).write_text(ENCLAVES, encoding="utf8")
    return load(tmp_path, {})


def test_an_asker_is_found_by_name_and_nobody_is_the_owner(settings):
    assert asker_of(settings, None) is OWNER
    assert asker_of(settings, "guest").clearance == {"wiki"}
    assert asker_of(settings, Asker("other")) == Asker("other")
    with pytest.raises(UsageError, match="no asker is named 'nobody'"):
        asker_of(settings, "nobody")


def test_terms_hold_what_was_given_and_grants_for_one_question(settings):
    terms, own = terms_of(settings, (), "guest", privacy="query", hops=3, k=7)
    assert (terms.asker.name, terms.privacy, terms.hops, terms.k, own) == ("guest", Privacy.QUERY, 3, 7, ())
    assert terms_of(settings, ())[0].privacy is None
    terms, own = terms_of(settings, (), privacy="query", parts=[("wiki", "Bell  Rock")])
    assert terms.parts == ("Bell Rock",) and terms.grants == own and own[0].to == "wiki"
    for wrong in ({"privacy": "some"}, {"hops": 0}, {"k": 9999}):
        with pytest.raises(UsageError):
            terms_of(settings, (), **wrong)


def test_problems_are_told_to_those_who_may_read_the_enclave_and_only_where_an_answer_is_missing():
    missing = Answer(None, "nothing was found", 0.0, frozenset(), (), None, (), Evidence((), ()), 0.0)
    problems = {"wiki": "wiki is damaged", "mail": "mail is damaged"}
    guest = Terms(Asker("guest", frozenset({"wiki"})))
    told = with_problems(missing, guest, problems)
    assert told.reason == "nothing was found; wiki is damaged"
    assert with_problems(missing, Terms(), {}) == missing
    assert with_problems(missing, Terms(filter=Filter(enclaves=("mail",))), problems).reason.endswith("mail is damaged")
    given = Answer("yes", None, 0.9, frozenset(), (), None, (), Evidence((), ()), 0.0)
    told = with_problems(given, guest, problems)
    assert told.text == "yes" and told.reason is None and told.unreachable == ("wiki is damaged",)


def test_of_what_the_vectors_are_still_to_be_made_is_told_to_those_who_may_read_it():
    given = Answer("yes", None, 0.9, frozenset(), (), None, (), Evidence((), ()), 0.0)
    guest = Terms(Asker("guest", frozenset({"wiki"})))
    assert with_problems(given, guest, {}, ["mail"]).notes == ()
    (note,) = with_problems(given, guest, {}, ["mail", "wiki"]).notes
    assert note.startswith("vectors of wiki are still to be made")


def test_an_argument_that_there_is_none_of_is_refused() -> None:
    with pytest.raises(TypeError, match="an ask takes no filtre, privcy"):
        terms_of(load(None, {}), (), None, privcy="document", filtre=1)  # type: ignore[call-arg]
