"""The pages as a server gives them: the same law as for programs, sessions and their forms, and what no text can do."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from answerable.privacy.flow import Decision
from answerable.types import Query, Skill
from answerable.web import answers, showing
from answerable.web.pages import PAGES, Page
from answerable.web.sessions import HOURS
from answerable.web.showing import SIGN_IN, SIGN_OUT, STATIC
from answerable.workspace.opening import open_workspace
from tests.web.conftest import ASKED, STAND_INS, Web, made, served
from tests.web.visiting import FORM, Visitor, text_of

FORMS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "GET /": [("/", {}), ("/?q=KESTREL&chat=mine&enclave=mail", {})],
    "POST /": [
        ("/", {"q": ASKED, "chat": "c"}),
        ("/", {"q": "What is the job at Kõpu Lighthouse called?", "chat": "c"}),
        ("/", {"q": "And who built it?", "chat": "c"}),
        ("/", {"q": ASKED, "chat": "d", "enclave": ["mail"]}),
        ("/", {"q": ASKED, "chat": "d", "after": "no day"}),
    ],
    "POST /judge": [("/judge", {"q": ASKED, "answer": "KESTREL", "good": "true", "chat": "c"})],
    "GET /sets": [("/sets", {})],
    "POST /sets": [
        ("/sets", {"q": "lighthouses"}),
        ("/sets", {"q": "lighthouses", "csv": "all"}),
        ("/sets", {"q": "lighthouses", "kind": ["text"], "year": "2001", "without": "kind"}),
        ("/sets", {"q": "lighthouses", "enclave": ["mail"]}),
    ],
    "GET /read": [("/read?document=mail/birds.txt&enclave=mail", {})],
    "POST /read": [
        ("/read", {"document": "wiki/kopu.md", "q": ASKED}),
        ("/read", {"document": "mail/birds.txt", "q": ASKED}),
        ("/read", {"document": "mail/birds.txt", "q": ASKED, "enclave": "mail"}),
    ],
    "GET /document": [
        ("/document?enclave=wiki&id=wiki/kopu.md&start=2&end=17", {}),
        ("/document?enclave=mail&id=mail/birds.txt", {}),
    ],
    "GET /sources": [("/sources", {}), ("/sources?enclave=wiki", {}), ("/sources?enclave=mail", {})],
    "POST /sources": [("/sources", {"enclave": "wiki"})],
    "GET /delete": [("/delete?enclave=wiki&id=wiki/kopu.md", {})],
    "POST /delete": [("/delete", {"enclave": "mail", "id": "mail/birds.txt"})],
    "GET /journal": [("/journal", {})],
    "GET /settings": [("/settings", {})],
}
WORLDS: dict[str, dict[str, str]] = {
    "one": {"birds.txt": "From today the job at Kõpu Lighthouse is called KESTREL.\n"},
    "another": {"birds.txt": "The heron flies at noon.\n", "kopu.md": "# Kõpu Lighthouse\n\nIt was never lit.\n"},
    "none": {},
}
_OWN = (r'name="(csrf|chat)" value="[^"]*"', r"<time[^>]*>[^<]*</time>")
"""What two visits differ in: secrets that are drawn, and times."""


def _plain(got: Any) -> tuple[int, dict[str, str], str]:
    text = got.body.decode()
    for pattern in _OWN:
        text = re.sub(pattern, "", text)
    return got.status, {name: value for name, value in got.headers.items() if name != "content-length"}, text


def _visit(visitor: Visitor, page: Page, path: str, fields: dict[str, Any], **headers: str) -> Any:
    return visitor.get(path) if page.method == "GET" else visitor.post(path, fields, **headers)


@pytest.fixture(scope="module")
def guests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Visitor]]:
    """A guest who reads `wiki`, signed in, in each of the worlds; an owner is known as well."""
    visitors = []
    with ExitStack() as stack:
        for name, mail in WORLDS.items():
            workspace = stack.enter_context(made(tmp_path_factory.mktemp(name), mail))
            token = workspace.askers.add(workspace.settings, "guest", ["wiki"])[1]
            visitors.append(Visitor(stack.enter_context(served(workspace))))
            assert visitors[-1].signed_in(token).status == 303
        yield visitors


def _owner(web: Web, name: str) -> Visitor:
    visitor = Visitor(web)
    assert visitor.signed_in(web.workspace.askers.add(web.workspace.settings, name, owner=True)[1]).status == 303
    return visitor


def test_every_page_has_a_sample() -> None:
    assert {one.name for one in PAGES} == FORMS.keys()


@pytest.mark.parametrize("page", PAGES, ids=lambda one: one.name)
def test_a_guest_is_shown_the_same_in_every_world(guests: list[Visitor], page: Page) -> None:
    for path, fields in FORMS[page.name]:
        for headers in ({}, {"Accept": "text/event-stream"}) if page.name == "POST /" else ({},):
            first, *others = [_plain(_visit(one, page, path, fields, **headers)) for one in guests]
            assert first[0] < 500, (path, first)
            assert all(told == first for told in others), (path, fields, headers)
            assert "birds.txt is" not in first[2] and "heron" not in first[2] and "is called KESTREL" not in first[2]


def test_the_samples_do_tell_an_owner_apart(guests: list[Visitor]) -> None:
    owners = [_owner(one.web, "somebody") for one in guests[:2]]
    page = PAGES[1]
    shown = [str(_plain(_visit(one, page, *FORMS["POST /"][1]))) for one in owners]
    assert shown[0] != shown[1] and "KESTREL" in shown[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda one: one.name)
def test_whoever_is_not_signed_in_is_shown_nothing(guests: list[Visitor], page: Page) -> None:
    stranger = Visitor(guests[0].web)
    stranger.get(SIGN_IN)
    got = _visit(stranger, page, *FORMS[page.name][0])
    assert (got.status, got.headers.get("location")) == ((303, SIGN_IN) if page.method == "GET" else (401, None))
    assert "mail" not in text_of(got) and "wiki" not in text_of(got)


@pytest.mark.parametrize("page", [one for one in PAGES if one.owner], ids=lambda one: one.name)
def test_a_guest_changes_nothing(guests: list[Visitor], page: Page) -> None:
    got = _visit(guests[0], page, *FORMS[page.name][0])
    assert got.status == 403 and "Only an owner" in text_of(got)


@pytest.mark.parametrize("page", [one for one in PAGES if one.method == "POST"], ids=lambda one: one.name)
@pytest.mark.parametrize("secret", ["", "0" * 64])
def test_a_form_that_the_page_did_not_give_is_refused(web: Web, page: Page, secret: str) -> None:
    visitor = Visitor(web)
    visitor.get("/")
    path, fields = FORMS[page.name][0]
    if page.uploads:
        body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx\r\n--b--\r\n'
        got = web.ask("POST", path, body, Accept="text/html", Content_Type="multipart/form-data; boundary=b")
    else:
        got = visitor.post(path, {**fields, "csrf": secret})
    assert got.status == 403 and "grown old" in text_of(got)


def test_a_form_of_another_session_is_refused(guests: list[Visitor]) -> None:
    other = _owner(guests[0].web, "other")
    assert other.post("/", {"q": ASKED, "chat": "c", "csrf": guests[0].secret}).status == 403
    assert other.post("/", {"q": ASKED, "chat": "c"}).status == 200


@pytest.mark.parametrize("origin", ["null", "https://evil.example"])
def test_a_form_of_another_site_is_refused(web: Web, origin: str) -> None:
    visitor = Visitor(web)
    visitor.get("/")
    assert visitor.post("/", {"q": ASKED, "chat": "c"}, Origin=origin).status == 403


def test_the_cookie_is_for_the_page_alone(guests: list[Visitor]) -> None:
    web = guests[2].web
    visitor = Visitor(web)
    token = web.workspace.askers.add(web.workspace.settings, "kim", ["wiki"])[1]
    told = visitor.signed_in(token).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/", f"Max-Age={HOURS * 3600}"} <= set(told.split("; "))
    assert token not in told
    assert web.ask("POST", "/v1/ask", {"question": ASKED}, Cookie=visitor.cookie).status == 401
    assert visitor.get("/").status == 200
    web.workspace.askers.revoke("kim")
    assert visitor.get("/").status == 303  # with its token the session ends


def test_a_session_ends(guests: list[Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = _owner(guests[2].web, "leaving")
    assert visitor.post(SIGN_OUT, {"csrf": "0"}).status == 403 and visitor.get("/").status == 200
    assert visitor.post(SIGN_OUT).status == 303
    assert visitor.get("/").status == 303
    monkeypatch.setattr("answerable.web.sessions.timedelta", lambda hours: timedelta(hours=-hours))
    assert _owner(guests[2].web, "late").get("/").status == 303


def test_a_token_that_does_not_count_opens_nothing(guests: list[Visitor]) -> None:
    visitor = Visitor(guests[0].web)
    got = visitor.signed_in("mistyped")
    assert got.status == 401 and "does not count" in text_of(got) and "set-cookie" not in got.headers


def test_a_browser_is_refused_by_a_page_and_a_program_by_json(guests: list[Visitor]) -> None:
    kinds = [
        (guests[0].web.ask("GET", path, Accept=accept).headers.get("content-type", "").partition(";")[0])
        for path in ("/nowhere", "/v1/status")
        for accept in ("text/html", "*/*")
    ]
    assert kinds == ["text/html", *["application/problem+json"] * 3]


def test_on_this_machine_alone_nobody_signs_in(web: Web) -> None:
    visitor = Visitor(web)
    assert visitor.get(SIGN_IN).headers["location"] == "/" and visitor.get("/").status == 200


@pytest.mark.parametrize("path", ["/", "/sets", "/sources", "/journal", "/settings", "/nowhere"])
def test_no_page_runs_or_loads_what_is_not_ours(web: Web, path: str) -> None:
    got = Visitor(web).get(path)
    policy = got.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert got.headers["referrer-policy"] == "same-origin"  # with none, a form's Origin would be null
    html = got.body.decode()
    assert not re.search(r"<script(?![^>]+src=)|<style|\sstyle=|\son\w+=|javascript:|https?://(?!www\.w3\.org)", html)


def test_what_is_loaded_is_small_and_may_be_kept(web: Web) -> None:
    html, size = Visitor(web).get("/").body.decode(), 0
    for name in ("page.css", "page.js", "icon.svg"):
        (path,) = set(re.findall(rf'"(/static/{re.escape(name)}\?\w+)"', html))
        got = web.ask("GET", path)
        assert got.status == 200 and "max-age" in got.headers["cache-control"]
        size += len(got.body)
    templates = Path(showing.__file__).parent / "templates"
    assert size + sum(one.stat().st_size for one in templates.iterdir()) < 200_000
    assert web.ask("GET", STATIC.replace("{name}", "..%2fpages.py")).status == 404


def test_a_conversation_goes_on_without_a_script(web: Web) -> None:
    visitor = Visitor(web)
    visitor.get("/")
    first = text_of(visitor.post("/", {"q": "Who built Hook Lighthouse?", "chat": "talk"}))
    assert "William Marshal" in first and "wiki was asked the question" in first
    second = text_of(visitor.post("/", {"q": "And where does it stand?", "chat": "talk"}))
    assert "Who built Hook Lighthouse?" in second and "William Marshal" in second
    assert "was asked with it: “ Who built Hook Lighthouse? ”, “ William Marshal ”." in second
    other = text_of(visitor.post("/", {"q": "And where does it stand?", "chat": "other"}))
    assert "Who built" not in other and "asked with it" not in other


def test_a_first_visit_says_what_there_is_to_ask(web: Web, tmp_path: Path) -> None:
    assert "It searches wiki , mail . Every answer" in text_of(Visitor(web).get("/"))
    with open_workspace(tmp_path, create=True, settings=STAND_INS) as workspace, served(workspace) as empty:
        assert "Nothing is held yet. Add files" in text_of(Visitor(empty).get("/"))
        empty.app.examples = ["Who & why?"]
        assert "Who" not in text_of(Visitor(empty).get("/"))  # there is nothing to ask
    web.app.examples = ["Who & why?"]
    assert '<a href="/?q=Who+%26+why%3F">Who &amp; why?</a>' in Visitor(web).get("/").body.decode()
    web.app.examples = []


def test_pages_are_ready_before_somebody_asks_for_one(web: Web) -> None:
    made = showing.environment()
    ready = {name for _, name in made.cache.keys()} if made.cache else set()  # noqa: SIM118 -- it is no mapping
    assert ready == {*made.list_templates()}


def test_documents_are_offered_where_one_is_to_be_named(web: Web) -> None:
    assert '<option value="wiki/hook.md">Hook Lighthouse</option>' in Visitor(web).get("/read").body.decode()


@pytest.mark.parametrize(
    ("text", "answer", "told"),
    [
        ("Lit in\n1811, <b>.", "in 1811", "Lit <mark>in\n1811</mark>, &lt;b&gt;."),
        ("a.b a+b", "A+B", "a.b <mark>a+b</mark>"),
        ("yes, it is", "yes", "yes, it is"),
        ("as it is", " \n", "as it is"),
        ("as it is", None, "as it is"),
    ],
)
def test_an_answer_is_marked_wherever_it_stands(text: str, answer: str | None, told: str) -> None:
    assert showing.marked(text, answer) == told


def test_settings_say_what_they_mean(web: Web) -> None:
    shown = text_of(Visitor(web).get("/settings"))
    assert "ask.threshold least confidence of an answer that is given" in shown and "not set" in shown
    assert "models.encoder" in shown and "hashed argument" in shown and " None " not in shown


def test_what_a_language_model_was_sent_is_in_the_journal_and_beside_its_answer(tmp_path: Path) -> None:
    given = {"models.reader": "llm", "llm.endpoint": "https://llm.example.org/v1", "llm.model": "tiny"}
    with open_workspace(tmp_path, create=True, settings={**STAND_INS, **given}) as workspace, served(workspace) as web:
        model = workspace.settings.llm.enclave
        asked = Query("Who built it?", workspace.asker(None))
        workspace.journal.searches("a", Skill.SINGLE, model, [(asked, Decision(True, "only public text"), None)])
        assert [one["enclave"] for one in web.ask("GET", "/v1/journal").record["records"]] == ["llm"]
        assert "llm" in text_of(Visitor(web).get("/journal"))
    said = {"answer": "1531", "confidence": 0.9, "via": "model", "label": [], "guesses": [], "citations": []}
    html = showing._part("verdict", {**said, "notes": ["text of <mail> may not be sent"], "reason": None})
    assert "written by a language model" in html and "Text of &lt;mail&gt; may not be sent." in html


def test_what_is_uploaded_can_be_read_and_deleted(tmp_path: Path) -> None:
    with open_workspace(tmp_path, create=True, settings=STAND_INS) as workspace, served(workspace) as web:
        visitor = Visitor(web)
        visitor.get("/sources")
        body = "".join(
            f'--b\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n{text}\r\n'
            for name, file, text in (
                ("csrf", "", visitor.secret),
                ("enclave", "", "notes"),
                ("kind", "", ""),
                ("file", '; filename="a.txt"', "A heron."),
            )
        ).encode()
        kind = "multipart/form-data; boundary=b"
        got = web.ask("POST", "/sources", body + b"--b--\r\n", Accept="text/html", Content_Type=kind)
        assert got.status == 303 and "1+added" in got.headers["location"]
        assert "a.txt" in text_of(visitor.get(got.headers["location"]))
        name = next(iter(workspace.library.documents(workspace.asker(None), "notes", 0, 1)[1]))[0]
        asked = visitor.get(f"/delete?enclave=notes&id={name}")
        assert "A heron." in text_of(asked) and "Nothing of it stays" in text_of(asked)
        gone = visitor.post("/delete", {"enclave": "notes", "id": name})
        assert "1+document+deleted" in gone.headers["location"]
        assert visitor.get(f"/document?enclave=notes&id={name}").status == 404


HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)> "quoted" {{ 7 * 7 }} \u202egnp.exe'


def test_hostile_text_is_shown_and_never_run(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text(f"# {HOSTILE}\n\nThe password of {HOSTILE} is swan.\n", encoding="utf8")
    with open_workspace(tmp_path / "work", create=True, settings=STAND_INS) as workspace, served(workspace) as web:
        workspace.index([tmp_path / "files"], "files")
        visitor = Visitor(web)
        shown = [
            visitor.get("/document?enclave=files&id=files/a.txt&start=3&end=40"),
            visitor.get("/sources?enclave=files"),
            visitor.get("/?q=" + "%3Cscript%3E%22"),
            visitor.post("/", {"q": "What is the password of <script>?", "chat": "c"}),
            visitor.post("/sets", {"q": "password"}),
            visitor.post("/read", {"document": "files/a.txt", "q": "What is the password?"}),
            visitor.get("/document?enclave=<script>&id=<img>"),
        ]
        for got in shown:
            html = got.body.decode()
            assert got.status < 500 and "<script>" not in html and "<img src=x" not in html and "\u202e" not in html
            assert "49 " not in html
        assert "<script>alert(1)</script>" in text_of(shown[0])


def test_what_cannot_be_used_is_said_in_a_sentence(web: Web) -> None:
    visitor = Visitor(web)
    visitor.get("/")
    got = visitor.post("/", {"q": ASKED, "chat": "c", "after": "some day"})
    assert got.status == 400 and "'some day' is no date" in text_of(got)
    assert f">{ASKED}</textarea>" in got.body.decode() and 'name="after" value="some day"' in got.body.decode()
    got = visitor.post("/sets", {"q": "lighthouses", "before": "some day", "sender": "Lee"})
    assert got.status == 400 and "'some day' is no date" in text_of(got)
    assert ">lighthouses</textarea>" in got.body.decode() and 'name="sender" value="Lee"' in got.body.decode()
    got = visitor.post("/read", {"document": "none.md", "q": ASKED})
    assert got.status == 404 and "no document 'none.md'" in text_of(got)
    assert f">{ASKED}</textarea>" in got.body.decode() and 'value="none.md"' in got.body.decode()
    assert visitor.post("/", {"q": "", "chat": "c"}).status == 422
    assert web.ask("POST", "/", b"{}", Content_Type="application/json", Accept="text/html").status == 415
    assert web.ask("POST", "/", b"q=%ff", Content_Type=FORM, Accept="text/html").status == 400


JOB = "What is the job at Kõpu Lighthouse called?"


def test_the_buttons_below_an_answer_say_whether_it_is_good(tmp_path: Path) -> None:
    with made(tmp_path) as workspace, served(workspace) as web:
        visitor = Visitor(web)
        visitor.get("/")
        shown = text_of(visitor.post("/", {"q": JOB, "chat": "c"}))
        assert "Good answer" in shown and "Bad answer" in shown
        answer = workspace.ask(JOB).text
        shutil.rmtree(workspace.folder / "remembered")
        said = visitor.post("/judge", {"q": JOB, "answer": answer, "good": "true", "chat": "c"})
        assert said.status == 303 and "chat=c" in said.headers["location"]
        assert "Remembered: " in text_of(visitor.get(said.headers["location"]))
        assert "called good before" in text_of(visitor.post("/", {"q": JOB, "chat": "d"}))
        told = answers.Remembered.model_validate(web.ask("GET", "/v1/remembered").record).remembered
        assert [(one.question, one.good, one.label) for one in told] == [(JOB, True, ["mail"])]
        bad = web.ask("POST", "/v1/remembered", {"question": JOB, "good": False})
        assert bad.status == 200 and answers.Judged.model_validate(bad.record).id == told[0].id
        assert web.ask("DELETE", f"/v1/remembered?id={told[0].id}").status == 200
        wrong = visitor.post("/judge", {"q": "Who?", "answer": "nobody", "good": "false", "chat": "c"})
        assert wrong.status == 400


def test_what_a_document_asks_in_return_is_answered_by_a_button_or_in_words(tmp_path: Path) -> None:
    (tmp_path / "grant.md").write_text("# Grant\n\nYou can apply if you are under 25, and you live in Scotland.\n")
    with open_workspace(tmp_path / "work", create=True, settings=STAND_INS) as workspace, served(workspace) as web:
        workspace.index([tmp_path / "grant.md"], "files")
        visitor = Visitor(web)
        visitor.get("/read")
        form = {"document": "grant.md", "q": "Can I apply?"}
        shown = visitor.post("/read", form)
        assert (
            "It depends. Are you under 25?" in text_of(shown) and '<button name="q" value="No">' in shown.body.decode()
        )
        back = {**form, "of": "Can I apply?", "ask": "Are you under 25?"}
        shown = visitor.post("/read", {**back, "q": "Yes"})
        assert "yes, if you live in Scotland" in text_of(shown) and "Are you under 25? Yes" in text_of(shown)
        assert 'name="said" value="Yes"' in shown.body.decode()
        assert "Can I apply? no " in text_of(visitor.post("/read", {**back, "q": "no, I am 40"}))
        assert "Who is it?" in text_of(visitor.post("/read", {**back, "q": "Who is it?"}))
