"""Notes of an Obsidian vault: links read as they are shown, tags and properties as fields."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from answerable.corpora.outline import front_matter_end

_LINK = re.compile(r"(!?)\[\[([^\[\]\n|#^]{0,500})(#[^\[\]\n|]{0,500})?(?:\|([^\[\]\n]{0,500}))?\]\]")
_CODE = re.compile(r"^ {0,3}(```+|~~~+)[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_TAG = re.compile(r"(?<![\w#/&])#([^\W\d][\w/-]*|\d[\w/-]*[^\W\d][\w/-]*)")
_COMMENT = re.compile(r"%%.*?%%", re.DOTALL)
_FILE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|mp[34]|m4a|wav|ogg|flac|webm|mov|pdf|canvas|base)$", re.I)
_PROPERTY = re.compile(r"([^\s:#\-][^:\n]{0,100}):(?:[ \t]+(.*))?$")


def in_vault(file: Path) -> bool:
    """Whether a file lies in a vault: below a folder that has Obsidian's settings in it."""
    return any((folder / ".obsidian").is_dir() for folder in file.parents)


def note_of(text: str) -> tuple[str, dict[str, Any]]:
    """The text of a note as it is shown, and what is known of it: `properties`, `tags`, `links` and perhaps a `date`.

    Properties open the text as lines `name: value`; a link is its words, or the name of the note that it leads to, and
    stands in `links` as (start, end, note). What is commented out is left out, and code stays as it is.
    """
    top = front_matter_end(text)
    properties, text = _properties(text[:top]), text[top:].lstrip("\r\n")
    lines = [f"{name}: {', '.join(values)}" for name, values in properties.items() if any(values)]
    pieces, links = ["\n".join(lines) + "\n\n"] if lines else [], list[tuple[int, int, str]]()
    length = sum(map(len, pieces))
    tags = [tag.lstrip("#") for name in ("tags", "tag") for tag in properties.get(name, ())]

    def add(piece: str) -> None:
        nonlocal length
        pieces.append(piece)
        length += len(piece)

    def prose(part: str) -> None:
        part, at = _COMMENT.sub("", part), 0
        tags.extend(_TAG.findall(_LINK.sub("", part)))
        for link in _LINK.finditer(part):
            add(part[at : link.start()])
            at = link.end()
            embedded, note, heading, words = link[1], link[2].strip(" \\"), (link[3] or "").lstrip("#^"), link[4]
            if embedded and _FILE.search(note):
                continue
            shown = (words or " > ".join(filter(None, (note, *heading.split("#"))))).strip()
            if note:
                links.append((length, length + len(shown), note))
            add(shown)
        add(part[at:])

    at = 0
    for code in _CODE.finditer(text):
        prose(text[at : code.start()])
        add(code.group())
        at = code.end()
    prose(text[at:])
    known: dict[str, Any] = {"properties": properties, "tags": [*dict.fromkeys(filter(None, tags))], "links": links}
    day = next((one[0][:10] for name in ("date", "created") if (one := properties.get(name))), "")
    return "".join(pieces), {**known, **({"date": day} if re.fullmatch(r"\d{4}-\d\d-\d\d", day) else {})}


def _properties(front: str) -> dict[str, list[str]]:
    """The properties between the lines `---`, as Obsidian writes them: a value, or a list of values."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in front.splitlines()[1:-1]:
        if match := _PROPERTY.match(line):
            name, value = match[1].strip(), (match[2] or "").strip()
            listed = value[1:-1].split(",") if value.startswith("[") and value.endswith("]") else [value]
            found[name] = [one for part in listed if (one := _unquoted(part))]
        elif name and line.lstrip().startswith("- "):
            found[name] += filter(None, [_unquoted(line.lstrip()[2:])])
    return found


def _unquoted(value: str) -> str:
    """A value without its quotes, and of a link the note that it leads to."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return _LINK.sub(lambda link: link[4] or link[2], value)
