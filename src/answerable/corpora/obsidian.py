"""Notes of an Obsidian vault: links read as they are shown, tags and properties as fields; and properties elsewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from answerable.corpora.markdown import front_matter_end

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
    """The text of a note with its links as they are shown, and what is known of it: `tags`, `links` (the notes that
    they lead to), and what `with_properties` tells.

    A link is its words, or the name of the note that it leads to. What is commented out is left out, and code stays as
    it is.
    """
    text, known = with_properties(text)
    properties, pieces, links = known.get("properties", {}), list[str](), list[str]()
    tags = [tag.lstrip("#") for name in ("tags", "tag") for tag in properties.get(name, ())]

    def shown(link: re.Match[str]) -> str:
        embedded, note, heading, words = link[1], link[2].strip(" \\"), (link[3] or "").lstrip("#^"), link[4]
        if embedded and _FILE.search(note):
            return ""
        links.extend(filter(None, (note,)))
        return (words or " > ".join(filter(None, (note, *heading.split("#"))))).strip()

    def prose(part: str) -> str:
        part = _COMMENT.sub("", part)
        tags.extend(_TAG.findall(_LINK.sub("", part)))
        return _LINK.sub(shown, part)

    at = 0
    for code in _CODE.finditer(text):
        pieces += (prose(text[at : code.start()]), code.group())
        at = code.end()
    pieces.append(prose(text[at:]))
    return "".join(pieces), {**known, "tags": [*dict.fromkeys(filter(None, tags))], "links": links}


def with_properties(text: str) -> tuple[str, dict[str, Any]]:
    """A text in Markdown with the properties in front of it as lines `name: value`, and what they tell: `properties`
    and perhaps a `date`, where there are any."""
    top = front_matter_end(text)
    properties = _properties(text[:top])
    if not properties:
        return text, {}
    lines = [f"{name}: {', '.join(values)}" for name, values in properties.items() if values]
    day = next((one[0][:10] for name in ("date", "created") if (one := properties.get(name))), "")
    known = {"properties": properties, **({"date": day} if re.fullmatch(r"\d{4}-\d\d-\d\d", day) else {})}
    return "\n".join([*lines, "", ""] if lines else []) + text[top:].lstrip("\r\n"), known


def _properties(front: str) -> dict[str, list[str]]:
    """The properties between the lines `---`: a value, or a list of values, and of what lies deeper each by itself."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in map(str.strip, front.splitlines()[1:-1]):
        if match := _PROPERTY.match(line):
            name, value = match[1].strip(), (match[2] or "").strip()
            listed = value[1:-1].split(",") if value.startswith("[") and value.endswith("]") else [value]
            found[name] = [one for part in listed if (one := _unquoted(part)).strip("|>+-")]
        elif name and (value := _unquoted(line.removeprefix("- "))) and not line.startswith("#"):
            found[name].append(value)
    return found


def _unquoted(value: str) -> str:
    """A value without its quotes, and of a link the note that it leads to."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return _LINK.sub(lambda link: link[4] or link[2], value)
