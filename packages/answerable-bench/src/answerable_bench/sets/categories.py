"""Documents with categories as they come: the documents without them, and each category with its documents (3.1).

Categories of one name are one. Those above a document's own in the graph hold it too. What has fewer documents than an
answer has is dropped. A document that comes again adds its categories to those it had; its text is that of the first.

Categories from attributes are named in words, `FIELD=WORDS` with the field's value for `{}` ("films from 1932"), or
`FIELD+FIELD=WORDS` with a `{FIELD}` for each; `{:lower}` is a value in lower case, `{:decade}` a year's decade.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from answerable.datasets.records import Record, lines, open_text
from answerable.errors import FormatError, UsageError
from answerable.printing import replacing
from answerable_bench.sets.atoms import Category, closed, united
from answerable_bench.sets.settings import SetPlan, SetSources
from answerable_bench.stages import Counts, Progress, read_jsonl, write_json, write_jsonl

_HINT = "like year='films from {}' or year+genres='{year} {genres:lower} films'"
_PLACE = re.compile(r"\{(\w*)(?::(\w+))?\}")


def _decade(value: str) -> str:
    return f"{value[:-1]}0s" if re.fullmatch(r"\d{4}", value) else ""


CHANGES: Mapping[str, Callable[[str], str]] = {"": str, "lower": str.lower, "decade": _decade}
"""What may be done to a value; an empty result names no category."""


@dataclass(frozen=True, slots=True)
class AttributeName:
    """How categories are named after the values of one or more fields. `places`: (field, change) as they stand."""

    words: str
    places: tuple[tuple[str, str], ...]

    @property
    def kind(self) -> str:
        """What its categories have in common: the fields with what is done to them."""
        return "+".join(f"{field}:{change}" if change else field for field, change in sorted(self.places))

    def named(self, record: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each category of a record: its name, and the single values it is made of (as `field:change=value`)."""
        values = [
            [
                (changed, f"{field}:{change}={changed}")
                for one in _values(record, field)
                if (changed := CHANGES[change](one).strip())
            ]
            for field, change in self.places
        ]
        for chosen in product(*values):
            words = _PLACE.sub("{}", self.words).format(*(value for value, _ in chosen))
            yield " ".join(words.split()), tuple(base for _, base in chosen)


def attribute_name(written: str) -> AttributeName:
    """Read `FIELD=WORDS`. Raises `UsageError` where it is not of that form."""
    given, equals, words = written.partition("=")
    fields = tuple(field.strip() for field in given.split("+"))
    places = tuple((name or fields[0], change) for name, change in _PLACE.findall(words))
    wrong = f"the attribute {written!r}"
    if not equals or not all(fields) or re.search(r"[{}]", _PLACE.sub("", words)):
        raise UsageError(f"{wrong} is not written FIELD=WORDS", hint=_HINT)
    if {field for field, _ in places} != set(fields) or len(places) != len(fields):
        raise UsageError(f"{wrong} does not have each of its fields once", hint=_HINT)
    for _, change in places:
        if change not in CHANGES:
            raise UsageError(f"{wrong} asks for {change!r}", hint=f"one of {', '.join(filter(None, CHANGES))}")
    return AttributeName(words.strip(), places)


def _values(record: Mapping[str, Any], field: str) -> list[str]:
    """The values of a field, each once: a text, a whole number or a list of them; what is missing has none."""
    found = record.get(field)
    given = found if isinstance(found, list) else [found]
    return list(dict.fromkeys(str(one).strip() for one in given if isinstance(one, str | int) and str(one).strip()))


DOCUMENTS, FILE, CORPUS = "documents.jsonl.gz", "categories.jsonl", "corpus.json"
NOUN, MODIFIER = "noun", "modifier"
OWN = "categories"
"""The field of categories that documents stand in, in contrast to those made of attributes."""
_FEW = 5000  # documents between two words of progress


def write_categories(sources: SetSources, folder: Path, plan: SetPlan, progress: Progress) -> Counts:
    """Write the documents without their categories, and the categories.

    Raises `FormatError` where a file is not of its form, `UsageError` where there is no category at all.
    """
    names = _names(sources.names)
    parents = _parents(sources.graph)
    forms = [(attribute_name(one), NOUN) for one in sources.attributes]
    forms += [(attribute_name(one), MODIFIER) for one in sources.modifiers]
    own: dict[str, list[int]] = defaultdict(list)
    made: dict[tuple[str, int], list[int]] = defaultdict(list)
    bases: dict[tuple[str, int], tuple[str, ...]] = {}
    ids: dict[str, int] = {}
    counts = dict.fromkeys(("documents", "repeated", "categories", "above", "small", "words"), 0)

    def documents() -> Iterator[dict[str, str]]:
        for row in lines(sources.documents):
            id = row.name("_id", "id")
            repeated = id in ids
            number = ids.setdefault(id, len(ids))
            if number % _FEW == 0:
                progress("documents", number, 0)
            for category in dict.fromkeys(row.texts(OWN) if OWN in row else ()):
                own[category].append(number)
            for at, (form, _) in enumerate(forms):
                for name, base in form.named(row.fields):
                    made[name, at].append(number)
                    bases[name, at] = base
            counts["repeated"] += repeated
            if not repeated:
                text = row.text("text")
                counts["words"] += len(text.split())
                yield {"_id": id, "title": row.words("title") or id, "text": text}

    write_packed(folder / DOCUMENTS, documents())
    if not ids:
        raise UsageError(f"{sources.documents} holds no document", hint="JSONL with _id, title, text and categories")
    found = closed({name: np.unique(np.array(numbers, np.int32)) for name, numbers in own.items()}, parents)
    named = []
    for id, members in found.items():
        name, kind = names.get(id, (" ".join(id.replace("_", " ").split()), NOUN))
        named.append(Category(name, kind, OWN, (id,), (f"{OWN}={id}",), members))
    for (name, at), numbers in made.items():
        form, kind = forms[at]
        members = np.unique(np.array(numbers, np.int32))
        named.append(Category(name, kind, form.kind, (), bases[name, at], members))
    if not named:
        raise UsageError(
            f"the documents of {sources.documents} have no categories", hint="a field `categories`, or --attribute"
        )
    kept = [one for one in _one_of_each_name(named) if one.members.size >= plan.least]
    write_jsonl(folder / FILE, (one.record("name") | {"members": one.members.tolist()} for one in kept))
    write_json(folder / CORPUS, {"documents": len(ids), "words": counts["words"]})
    counts["documents"], counts["categories"], counts["small"] = len(ids), len(kept), len(named) - len(kept)
    counts["above"] = len(found) - len(own)
    return counts


def read_categories(folder: Path) -> list[Category]:
    """What `write_categories` wrote, without splits."""
    lists = ("ids", "bases")
    return [
        Category(**{**row, **{name: tuple(row[name]) for name in lists}, "members": np.array(row["members"], np.int32)})
        for row in read_jsonl(folder / FILE)
    ]


def document_ids(folder: Path) -> list[str]:
    """The ids of the documents by number."""
    return [row.text("_id") for row in lines(folder / DOCUMENTS)]


def _one_of_each_name(categories: Sequence[Category]) -> list[Category]:
    """Categories that are called alike, whatever the case of their letters, as one."""
    groups: dict[str, list[Category]] = defaultdict(list)
    for one in categories:
        groups[one.name.casefold()].append(one)
    found = []
    for together in groups.values():
        first = together[0]
        if len(together) > 1:
            ids = tuple(dict.fromkeys(id for one in together for id in one.ids))
            members = united([one.members for one in together])
            first = Category(first.name, first.kind, first.field, ids, first.bases, members)
        found.append(first)
    return sorted(found, key=lambda one: (one.field, one.name))


def _names(path: Path | None) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for id, value in _object(path).items():
        row = Record(value if isinstance(value, dict) else {"name": value}, path or Path(), len(found) + 1, id)
        kind = row.text("kind") if "kind" in row else NOUN
        name = " ".join(row.text("name").split())
        if kind not in (NOUN, MODIFIER) or not name:
            raise FormatError(f"{path}: record {len(found) + 1} has no name, or is neither {NOUN} nor {MODIFIER}")
        found[id] = (name, kind)
    return found


def _parents(path: Path | None) -> dict[str, list[str]]:
    found = _object(path)
    for number, above in enumerate(found.values(), start=1):
        if not isinstance(above, list) or not all(isinstance(one, str) for one in above):
            raise FormatError(f"{path}: record {number} is not a list of categories", hint="category: [its parents]")
    return found


def _object(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    with open_text(path) as stream:
        try:
            found = json.load(stream)
        except (ValueError, RecursionError):
            raise FormatError(f"{path} is not JSON", hint="one object, a field for each category") from None
    if not isinstance(found, dict):
        raise FormatError(f"{path} is not a JSON object", hint="a field for each category")
    return found


def write_packed(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """JSONL as gzip, for its owner alone, whole or not at all; the same bytes of the same records."""
    with replacing(path) as raw, gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as file:
        for record in records:
            file.write((json.dumps(record, ensure_ascii=False) + "\n").encode())
