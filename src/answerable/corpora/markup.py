"""What the tags of a page would cost a parser of HTML, told from the tags alone, so that no page can make it stall."""

from __future__ import annotations

import re

from answerable.errors import FormatError

_MAX_DEPTH = 512
"""Elements inside elements: what browsers allow. The parser's time grows with the square of it."""
_MOST_ATTRIBUTES = 256
"""Of one tag, and of all tags that add theirs to one element: time grows with the square of them too."""
_MOST_REOPENED = 300_000
"""Elements of style, such as `b`, open where paragraphs begin, all paragraphs together: each is made anew there."""
_MOST_SEARCHED = 5_000_000

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})")
_VALUE = r"(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+)"
_ATTRIBUTE = rf"[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+{_VALUE})?+"
_ATTRIBUTES = re.compile(rf"(?:{_ATTRIBUTE.replace('(', '(?:', 1)}){{0,{_MOST_ATTRIBUTES}}}+[\s/]*+")
_NAME = re.compile(_ATTRIBUTE)
VOID = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())
_IMPLIED = frozenset("html head body p li dt dd tr td th thead tbody tfoot colgroup option optgroup rp rt".split())
_SCOPES = frozenset("table caption object applet marquee template".split())
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
CONTAINERS = (
    frozenset(
        "address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer "
        "form header h1 h2 h3 h4 h5 h6 hgroup iframe listing main menu nav ol pre section select summary ul".split()
    )
    | _SCOPES
)
_RAW = frozenset("script style textarea title xmp noembed noframes iframe".split())


def check_tags(markup: str, name: str) -> None:
    """Raise `FormatError` for tags that no page has and that would take a parser minutes or gigabytes.

    Follows the rules of HTML for end tags that close something else than the innermost element, so that no mixture
    of stray tags grows a deep tree unseen.
    """
    stack: list[str] = []
    merged: set[str] = set()
    cursor = styles = reopened = searched = tags = 0
    while match := _TAG.search(markup, cursor):
        tag = match.group(2).lower()
        tags += 1
        cursor = _ATTRIBUTES.match(markup, match.end()).end()  # type: ignore[union-attr]
        if cursor < len(markup) and markup[cursor] != ">":
            raise FormatError(f"{name} has a tag of more than {_MOST_ATTRIBUTES} attributes")
        if tag in ("html", "body") and len(merged) <= _MOST_ATTRIBUTES:
            merged.update(_NAME.findall(markup, match.end(), cursor))
            if len(merged) > _MOST_ATTRIBUTES:
                raise FormatError(f"{name} has a tag of more than {_MOST_ATTRIBUTES} attributes")
        if match.group(1):
            if tag not in VOID and tag not in _IMPLIED:
                before = len(stack)
                searched += _close(stack, tag)
                styles = styles if len(stack) == before else sum(one in _FORMATTING for one in stack)
            _check_work(reopened, searched, tags, name)
            continue
        if tag in _IMPLIED or tag in CONTAINERS:
            reopened += styles
            _check_work(reopened, searched, tags, name)
        if tag in VOID or tag in _IMPLIED:
            continue
        if tag in _RAW:
            cursor = _end_of(markup, tag, cursor)
            if cursor < 0:
                return
            continue
        stack.append(tag)
        styles += tag in _FORMATTING
        if len(stack) > _MAX_DEPTH:
            raise FormatError(f"{name} nests its elements deeper than {_MAX_DEPTH}")


def _check_work(reopened: int, searched: int, tags: int, name: str) -> None:
    if reopened > _MOST_REOPENED + 2 * tags or searched > _MOST_SEARCHED + 20 * tags:
        raise FormatError(f"{name} opens far more elements than it closes")


def _end_of(markup: str, tag: str, cursor: int) -> int:
    """Where an element ends that holds no tags; below 0 when it does not."""
    match = re.compile(f"</{tag}", re.IGNORECASE).search(markup, cursor)
    return match.start() if match else -1


def _close(stack: list[str], tag: str) -> int:
    """Take off the stack of open elements what an end tag closes; how many were looked at."""
    for index in range(len(stack) - 1, -1, -1):
        looked = len(stack) - index
        if stack[index] == tag:
            if tag in _FORMATTING:
                del stack[index]
            else:
                del stack[index:]
            return looked
        stops = _SCOPES if tag in CONTAINERS or tag in _FORMATTING else CONTAINERS
        if stack[index] in stops and tag not in _SCOPES:
            return looked
    return len(stack)
