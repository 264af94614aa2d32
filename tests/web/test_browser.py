"""The page in a real browser: streaming, by keyboard, on a phone, in the dark, slow, cut off, and with hostile text."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from answerable.sets.expression import Atom
from answerable.sets.members import Evidence, Found, Member, Support
from answerable.types import PUBLIC, Citation
from answerable.web import app
from answerable.web.sending import Stream
from answerable.web.showing import SURE
from answerable.workspace.workspace import Workspace
from tests.web.conftest import ASKED, WIKI, Web, made, served
from tests.web.driving import Chromium, chromium

BUILT = "Who built Hook Lighthouse?"
WORD = "w" * 100_000
HOSTILE = "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'> {{ 7 * 7 }} \u202egnp.exe \u2067"
ESCAPED = HOSTILE.replace("<", "\\<")
"""As Markdown says what is no HTML."""
FILES = {
    "hostile.md": f"# {ESCAPED}\n\nThe password of the vault is swan, says {ESCAPED}.\n",
    "long.md": f"# Long\n\nThe longest of all words is {WORD} as everybody knows.\n",
    "birds.txt": "From today the job at Kõpu Lighthouse is called KESTREL.\n",
}
HOOK = "/document?enclave=wiki&id=wiki/hook.md"
PAGES = ("/", "/sets", "/read", "/sources?enclave=mail", "/journal", "/settings", HOOK)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with made(tmp_path_factory.mktemp("page"), FILES) as workspace, served(workspace) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    opened = chromium()
    yield opened
    opened.driver.quit()


@pytest.fixture
def at(browser: Chromium, page: Web) -> Iterator[Any]:
    """Goes to a path of the page, on a desktop by light; at the end nothing may have complained."""
    browser.window()

    def go(path: str = "/", **window: Any) -> Chromium:
        if window:
            browser.window(**window)
        browser.driver.get(f"http://127.0.0.1:{page.port}{path}")
        return browser

    yield go
    assert browser.complaints() == []


def _slow(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Lets each ask end only when the event is set, after its hops were told."""
    go_on, plain = threading.Event(), workspace.ask

    def ask(*given: Any, **how: Any) -> Any:
        answer = plain(*given, **how)
        go_on.wait(20)
        how["watch"](answer.evidence.hops[0])  # whoever left is noticed here
        return answer

    monkeypatch.setattr(workspace, "ask", ask)
    return go_on


def _ask(browser: Chromium, question: str) -> None:
    browser.one("#q").send_keys(question + "\n")


def test_an_answer_comes_as_it_is_found(at: Any, page: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = _slow(page.workspace, monkeypatch)
    browser = at()
    _ask(browser, BUILT)
    lines = browser.until(lambda: browser.all(".busy .way li:nth-child(2)") and browser.all(".busy .way li"))
    assert "wiki was asked the question" in browser.text(".way") and len(lines) > 1
    assert "Searching" in browser.text(".verdict") and not browser.all(".quote")
    assert browser.all(".busy .way svg .sent")
    go_on.set()
    said = browser.asked()
    assert "William Marshal" in browser.text(".answer") and "Nothing" not in said
    assert browser.text(".quote mark") == "William Marshal"
    assert any(word in browser.text(".sure") for _, word in SURE)
    browser.one(".quote cite a").click()
    assert browser.text("mark#cited") == "William Marshal built Hook Lighthouse."
    browser.driver.back()
    assert "William Marshal" in browser.text(".past .answer")  # the conversation is still there


def test_a_question_follows_on_and_one_that_nobody_answers_says_why(at: Any) -> None:
    browser = at()
    _ask(browser, BUILT)
    browser.asked()
    _ask(browser, "And where does it stand?")
    browser.until(lambda: len(browser.all(".turn")) == 2)
    assert "Hook Lighthouse" in browser.asked() and browser.text(".turn h2") == "And where does it stand?"
    _ask(browser, "What colour has the moon of Neptune?")
    browser.until(lambda: len(browser.all(".turn")) == 3)
    assert "I am not sure" in browser.asked() and "nearest passages" in browser.text(".turn")


def test_an_example_is_asked_by_a_click(at: Any, page: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page.app, "examples", [BUILT])
    browser = at()
    assert browser.faults() == []
    browser.one(".tries a").click()
    assert "William Marshal" in browser.asked() and browser.text(".turn h2") == BUILT
    assert not browser.all(".tries")


def test_by_keyboard_alone(at: Any) -> None:
    from selenium.webdriver import ActionChains, Keys

    browser = at("/journal")
    keys = ActionChains(browser.driver)

    def press(*pressed: str) -> Any:
        keys.send_keys(*pressed).perform()
        return browser.driver.switch_to.active_element

    assert press(Keys.TAB).text == "Skip to the content"
    press(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "main"
    at()
    assert browser.run("return document.activeElement.id") == "q"
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    press(BUILT, Keys.ENTER)
    assert "William Marshal" in browser.asked()
    assert press(Keys.TAB).text == "Ask"
    assert press(Keys.TAB).tag_name == "summary"
    press(Keys.ENTER)
    assert browser.one("[name=enclave]").is_displayed()
    for _ in range(12):
        if "/document" in (press(Keys.TAB).get_attribute("href") or ""):
            break
    press(Keys.ENTER)
    browser.until(lambda: browser.all("#cited"))


def _faults(at: Any, **window: Any) -> dict[str, list[str]]:
    found = {}
    for path in PAGES:
        found[path] = at(path, **window).faults()
    browser = at("/")
    _ask(browser, ASKED)
    browser.asked()
    found["an answer"] = browser.faults()
    return {path: faults for path, faults in found.items() if faults}


def test_every_page_can_be_used_by_everybody(at: Any) -> None:
    assert _faults(at) == {}


def test_on_a_phone_in_the_dark(at: Any) -> None:
    assert _faults(at, width=360, height=740, dark=True) == {}
    browser = at()
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(21, 23, 22)"


def test_a_slow_answer_can_be_stopped(at: Any, page: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = _slow(page.workspace, monkeypatch)
    browser = at()
    _ask(browser, ASKED)
    browser.until(lambda: browser.text("#ask button") == "Stop")
    assert browser.one(".turn").get_attribute("aria-busy") == "true"
    browser.one("#ask button").click()
    assert "Stopped." in browser.asked() and browser.text("#ask button") == "Ask"
    assert browser.one("#q").get_attribute("value") == ASKED  # to be sent once more
    go_on.set()


def test_a_stream_that_is_cut_off_says_so(
    browser: Chromium, page: Web, monkeypatch: pytest.MonkeyPatch, at: Any
) -> None:
    class Cut(Stream):
        def __init__(self, events: Any, over: Any) -> None:
            async def some() -> Any:
                async for event in events:
                    yield event
                    return

            super().__init__(some(), over)

    monkeypatch.setattr(app, "Stream", Cut)
    at()
    _ask(browser, ASKED)
    assert "The connection was lost before the answer came" in browser.asked()
    assert browser.one("#q").get_attribute("value") == ASKED
    browser.complaints()  # of the connection


def _many(count: int, limit: int | None) -> Found:
    said = Citation("It stands in Ireland.", "wiki/hook.md", "wiki", 19, 40, "Hook", "wiki/hook.md")
    shown = (Support("in Ireland", False, 0.9, (said,)),)
    members = tuple(
        Member(f"d{n}", f"Lighthouse {n}", "wiki", "s", PUBLIC, 0.9, shown, Evidence.COMPLETE)
        for n in range(min(count, limit or count))
    )
    return Found("q", Atom("q"), (), members, (), count, count, (1, count), count, count, PUBLIC, (), 0.1)


def test_a_set_of_ten_thousand_comes_page_by_page(at: Any, page: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    class Finding:
        def __init__(self, query: str, expression: Any, limit: int | None, *rest: Any) -> None:
            self.found = _many(10_000, limit)

    monkeypatch.setattr(page.workspace, "find", Finding)
    browser = at("/sets")
    _ask(browser, "lighthouses")
    browser.until(lambda: browser.all(".set"))
    assert browser.text("#set") == "10,000 members" and len(browser.all(".set tbody tr")) == 100
    browser.one(".pages button").click()
    browser.until(lambda: "101 to 200 of 10,000" in browser.text())
    assert browser.text(".set tbody th a") == "Lighthouse 100"
    assert browser.run("return document.getElementsByTagName('*').length") < 3_000
    assert browser.faults() == []


@pytest.mark.parametrize("width", [360, 1200])
def test_hostile_text_is_shown_and_never_run(at: Any, page: Web, width: int) -> None:
    browser = at("/", width=width)
    for question in ("What is the password of the vault?", "Which is the longest of all words?"):
        _ask(browser, question)
        browser.asked()
        assert browser.faults() == []
    assert "swan" in browser.text()
    for name in ("hostile.md", "long.md"):
        at(f"/document?enclave=mail&id=mail/{name}&start=3&end=30")
        assert browser.faults() == []
    at("/sources?enclave=mail")
    assert "<script>window.ran = 1</script>" in browser.text(".documents")
    assert "\ufffdgnp.exe" in browser.text(".documents")  # what would turn the line is shown instead
    assert browser.run("return window.ran") is None and browser.faults() == []


def test_without_a_script(at: Any) -> None:
    browser = at()
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        at()
        browser.one("#q").send_keys(BUILT)
        browser.one("#ask button").click()
        browser.until(lambda: browser.all(".quote mark"))
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.text(".answer") == "William Marshal"


def test_files_are_added_with_progress_and_deleted_after_a_question(at: Any, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("The heron flies at noon.\n")
    browser = at("/sources")
    browser.run("document.getElementById('upload').dataset.most = 3")
    browser.one("#upload [name=enclave]").send_keys("notes")
    browser.one("#files").send_keys(str(tmp_path / "note.txt"))
    browser.one("#upload button").click()
    assert "1 MB at once can be added here" in browser.text("#told")
    at("/sources")
    browser.run("window.told = []; new MutationObserver(() => told.push(document.getElementById('told').textContent))"
                ".observe(document.getElementById('told'), {childList: true})")  # fmt: skip
    browser.run("window.onpagehide = () => sessionStorage.setItem('told', JSON.stringify(told))")
    browser.one("#upload [name=enclave]").send_keys("notes")
    browser.one("#files").send_keys(str(tmp_path / "note.txt"))
    browser.one("#upload button").click()
    browser.until(lambda: browser.all(".done"))
    assert "1 added" in browser.text(".done") and "note.txt" in browser.text(".documents")
    assert any(":" in said for said in browser.run("return JSON.parse(sessionStorage.getItem('told'))"))
    browser.one(".documents .small").click()
    assert "Delete this document?" in browser.text("h1")
    browser.one(".danger").click()
    browser.until(lambda: "1 document deleted" in browser.text())


def test_a_session_is_out_of_reach_of_scripts_and_of_forms_that_are_not_ours(
    browser: Chromium, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with made(tmp_path_factory.mktemp("guest"), FILES) as workspace, served(workspace) as running:
        token = workspace.askers.add(workspace.settings, "guest", ["wiki"])[1]
        browser.window()
        browser.driver.get(f"http://127.0.0.1:{running.port}/")
        assert browser.text("h1") == "Sign in" and browser.faults() == []
        browser.one("#token").send_keys(token + "\n")
        browser.until(lambda: browser.all("#ask"))
        assert browser.run("return document.cookie") == ""
        (cookie,) = browser.driver.get_cookies()
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
        post = "const said = arguments[arguments.length - 1]; fetch('/', {method: 'POST', body: new URLSearchParams("
        post += "{q: 'x', chat: 'c', csrf: arguments[0]})}).then(r => said(r.status))"
        assert browser.driver.execute_async_script(post, "") == 403
        secret = browser.one("[name=csrf]").get_attribute("value")
        assert browser.driver.execute_async_script(post, secret) == 200
        assert "mail" not in browser.text("body") and "Settings" not in browser.text(".top")
        _ask(browser, "What is the job at Kõpu Lighthouse called?")
        assert "KESTREL" not in browser.asked()
        browser.one(".out button").click()
        browser.until(lambda: browser.all("#token"))
        browser.complaints()


def test_the_texts_are_those_of_the_sources(at: Any) -> None:
    browser = at("/document?enclave=wiki&id=wiki/hook.md")
    said = WIKI["hook.md"].removeprefix("# ").split()
    assert browser.run("return document.querySelector('.text').textContent").split() == said
