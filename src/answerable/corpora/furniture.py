"""What stands on a page to find one's way, and is no part of what is said; and what its lists and boxes are to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from answerable.text import one_line

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_ROLES = frozenset({"navigation", "search"})
"""ARIA's names for what `nav` and a form of search are."""
_LINKED = "link[rel=prev], link[rel=next]"
_AROUND = f"{_LINKED}, link[rel=up]"
_MOST_TURNING = 500
"""Characters of a table by which pages are turned, at most."""
MUCH = 40
"""Words that are said of a term, from which it is a heading: nearly half a passage."""
_DEEPEST_LIST = 8
_RUNNING = frozenset("p pre ul ol dl table blockquote".split())
_BOXED = 10
"""Paragraphs of a box, at most."""
_HEADINGS = "h1, h2, h3, h4, h5, h6"
_HEADING_TAGS = frozenset(_HEADINGS.split(", "))
_TURNS = "a[rel~=next], a[rel~=prev], a[rel~=previous], a[rel~=up], a[accesskey]"
_HOLD_TURNS = frozenset("p div header footer section center ul ol table".split())
_LABELS = re.compile(r"(?:\s|[^\w\s]|\w+(?: \w+)?\s*:)*")
"""What stands beside links by which pages are turned: "Next: ", brackets and bars."""
_ORDINALS = re.compile(r"(?:[\W\d_]|\b(?:[a-zA-Z]|[IVXLC]+)\b)*+")
"""What stands beside links of a table of contents: "1.2" and "A"."""
_LISTS = frozenset({"ul", "ol", "dl"})
_HOLD_CONTENTS = frozenset("div section nav aside details".split())
_NAME_OF_CONTENTS = 4
"""Words of what a table of contents is called, at most."""


class Furniture:
    """What of one page only leads elsewhere."""

    def __init__(self, head: LexborNode | None, body: LexborNode) -> None:
        """`head`: of the page, which names the pages before and after it."""
        links = head.css(_LINKED) if head is not None else ()
        self._beside = {link.attributes.get("href") for link in links} - {None}
        around = head.css(_AROUND) if head is not None else ()
        places = {link.attributes.get("href") for link in (*around, *body.css(_TURNS))} - {None}
        self._leads = {node.mem_id for node in (*_turning(body, places), *_contents(body))}

    def holds(self, node: LexborNode, headed: bool) -> bool:
        """Whether an element is a menu, a table of contents, a mark to link by, or for turning pages. `headed`: whether
        it stands below a heading, or there is none on the page: what links to the same site above the first one is a
        menu."""
        tag = node.tag
        if node.attributes.get("role") in _ROLES or node.mem_id in self._leads:
            return True
        if tag == "a":
            return not is_said(node)
        if tag == "table" and self._beside:
            hrefs = {link.attributes.get("href") for link in node.css("a[href]")}
            return not self._beside.isdisjoint(hrefs) and len(one_line(node.text())) <= _MOST_TURNING
        return tag in ("ul", "ol") and not headed and _is_menu(node)


def is_said(link: LexborNode) -> bool:
    """Whether a link says something, and is no mark to link by, as headings have them."""
    said = link.text()
    return not said.strip() or any(map(str.isalnum, said))


def _turning(body: LexborNode, places: Collection[str | None]) -> Iterator[LexborNode]:
    """What holds nothing but links of which some lead to `places`: the pages before, after and above, as they say
    themselves or the page does, and what has a key of its own."""
    told: dict[int, bool] = {}
    for link in body.css("a[href]") if places else ():
        if link.attributes.get("href") not in places:
            continue
        node, top = link.parent, None
        while node is not None and node.mem_id != body.mem_id:
            if node.mem_id not in told:
                told[node.mem_id] = _only_links(node)
            if not told[node.mem_id]:
                break
            top = node if node.tag in _HOLD_TURNS else top
            node = node.parent
        if top is not None:
            yield top


def _only_links(node: LexborNode) -> bool:
    text = node.text()
    if len(text) > _MOST_TURNING or node.css_first(_HEADINGS) is not None:
        return False
    return _LABELS.fullmatch(_besides(text, node.css("a"))) is not None


def _besides(text: str, parts: Iterable[LexborNode]) -> str:
    """A text without what its parts say, which stand in order."""
    kept, cursor = list[str](), 0
    for part in parts:
        said = part.text()
        at = text.find(said, cursor)
        if at >= 0:
            kept.append(text[cursor:at])
            cursor = at + len(said)
    return " ".join((*kept, text[cursor:]))


def _contents(body: LexborNode) -> Iterator[LexborNode]:
    """Tables of contents, with what they are called: in a box, or as a heading that nothing else stands below."""
    for found in filter(_is_contents, body.css("ul, ol, dl")):
        node, parent, over = found, found.parent, _beside(found, "prev")
        while parent is not None and parent.tag in _HOLD_CONTENTS and _is_named(node):
            node, parent = parent, parent.parent
        yield node
        if node is found and over is not None and (over.tag or "") in _HEADING_TAGS:
            below = _after(found)
            if below in _HEADING_TAGS and below <= (over.tag or ""):
                yield over


def _is_contents(list_: LexborNode) -> bool:
    """Whether all that a list says are links to other places in the same page."""
    above, depth = list_.parent, 0
    while above is not None:
        depth += above.tag in _LISTS
        above = above.parent
    links = list_.css('a[href^="#"]') if depth < _DEEPEST_LIST else ()
    if len(links) < 2 or not _ORDINALS.fullmatch(_besides(list_.text(), links)):
        return False
    within = {value for one in list_.css("[id], [name]") for value in map(one.attributes.get, ("id", "name"))}
    told = any(character.isalpha() for link in links for character in link.text())
    return told and all((link.attributes.get("href") or "")[1:] not in within for link in links)


def _is_named(node: LexborNode) -> bool:
    """Whether beside an element nothing but a few words stand in what it stands in."""
    words = 0
    for side in ("prev", "next"):
        other = _beside(node, side)
        while other is not None and words <= _NAME_OF_CONTENTS:
            words += len(other.text().split())
            other = _beside(other, side)
    return words <= _NAME_OF_CONTENTS


def _beside(node: LexborNode, side: str) -> LexborNode | None:
    """The one before or after (`prev`, `next`) that says something, or is no text."""
    other: LexborNode | None = getattr(node, side)
    while other is not None and other.tag == "-text" and not (other.text_content or "").strip():
        other = getattr(other, side)
    return other


def _is_menu(node: LexborNode) -> bool:
    links = [link for link in node.css("a[href]") if ":" not in (link.attributes.get("href") or "")]
    return 2 * sum(len(one_line(link.text())) for link in links) > len(one_line(node.text()))


def defines(list_: LexborNode, within: int) -> bool:
    """Whether the terms of a list of definitions are headings of what it says of them. `within`: lists around it."""
    if within >= _DEEPEST_LIST:
        return False
    said = sum(child.tag == "dd" for child in list_.iter()) or len(list_.css("dd"))
    return said > 0 and len(list_.text().split()) > MUCH * said


def is_of_box(heading: LexborNode) -> bool:
    """Whether a heading is that of a box in running text, such as a note: after the box the text goes on."""
    node = heading
    while node.next is None and node.parent is not None and node.parent.tag == "div":
        node = node.parent
    box = node.parent
    if box is None or box.tag not in ("div", "aside") or _after(box) not in _RUNNING:
        return False
    following = node.next
    for _ in range(_BOXED):
        if following is None:
            return True
        if following.css_first(_HEADINGS) is not None:
            return False
        following = following.next
    return following is None


def _after(node: LexborNode) -> str:
    """The tag of the element after one; nothing where there is none, or text of no element comes first."""
    following = _beside(node, "next")
    return following.tag or "" if following is not None else ""
