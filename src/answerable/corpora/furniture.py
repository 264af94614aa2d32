"""What stands on a page to find one's way, and is no part of what is said; and what its lists and boxes are to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from answerable.corpora.sources import one_line

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_ROLES = frozenset({"navigation", "search"})
"""ARIA's names for what `nav` and a form of search are."""
_BESIDE = "link[rel=prev], link[rel=next]"
_MOST_TURNING = 500
"""Characters of a table by which pages are turned, at most."""
MUCH = 40
"""Words that are said of a term, from which it is a heading: nearly half a passage."""
_DEEPEST_LIST = 8
_RUNNING = frozenset("p pre ul ol dl table blockquote".split())
_BOXED = 10
"""Paragraphs of a box, at most."""
_HEADINGS = "h1, h2, h3, h4, h5, h6"


class Furniture:
    """What of one page only leads elsewhere."""

    def __init__(self, head: LexborNode | None) -> None:
        """`head`: of the page, which names the pages before and after it."""
        links = head.css(_BESIDE) if head is not None else ()
        self._beside = {link.attributes.get("href") for link in links} - {None}

    def holds(self, node: LexborNode, headed: bool) -> bool:
        """Whether an element is a menu, a mark to link by, or for turning pages. `headed`: whether it stands below a
        heading, or there is none on the page: what links to the same site above the first one is a menu."""
        tag = node.tag
        if node.attributes.get("role") in _ROLES:
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
    following = node.next
    while following is not None and following.tag == "-text" and not (following.text_content or "").strip():
        following = following.next
    return following.tag or "" if following is not None else ""
