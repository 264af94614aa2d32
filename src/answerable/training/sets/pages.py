"""What a judge of constraints learns "is an X" from, as against "about X": lessons of texts that say what they are.

An encyclopaedia's page says in its first sentence what its subject is, and so does a table of the things in a column, a
list of its members, a package's first line, a claim of its subject. A text does not fit what it only mentions, what is
of another place or time, nor another type in its own place, but for types that often stand beside each other or mean
much the same. The nouns of constraints belong to one part each, by their digest.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

from answerable.errors import UsageError
from answerable.training.reading import lines_of
from answerable.training.recipe import Kind, Made, Recipe
from answerable.training.sets.asked import Maker
from answerable.training.sets.draw import ATOMS
from answerable.training.sets.says import LEAST, STOP, Said, World, is_noun, part_of, plural, read, world
from answerable.training.written import LESSONS, texts_of

_LISTED = re.compile(
    r"List of ((?:[\w'’-]+\s){0,4}?([a-z]+s)(?:\s(?:in|of|from)\s(?:the\s)?[A-Z][\w ]+)?)(?:\sby\s.*|\s\(.*)?$"
)
_SHELVED = re.compile(
    r"^((?:[\w+./-]+\s){0,5}?[a-z]{3,})(?:\s(?:for|of|to|with|in|from|that|which|based|written|using|and|on|by)\s.*)?$"
)
WRITTEN, ASKED = "written", "asked"
PEOPLE = LESSONS.with_name("judging.jsonl.gz")
"""Lessons that were written for this project, a line a passage as in `training.written`, with what it is `asked`."""
FOUND = {name: LESSONS.with_name(f"{name}.jsonl.gz") for name in (ASKED, f"{ASKED}-more")}
"""The same of passages that a search found for queries, each told whether it fits: all of it is learned from."""
HELD = 0.18
"""The share of those that were written that is kept, and not learned from."""
_TOLD = {
    WRITTEN: (PEOPLE, False, HELD),
    f"{WRITTEN}-held": (PEOPLE, True, HELD),
    **{name: (path, False, 0.0) for name, path in FOUND.items()},
}
"""For a part that people or models told: its file, and whether it is what is kept of that, or the rest."""
PARTS = ("train", "development", "report", *_TOLD)
_LONGEST = 900
"""Characters of a text."""


def from_tables(data: Path, by_id: Mapping[str, Said], about: World) -> Iterator[Said]:
    """Texts that tables link to: what stands in a column is of the type that heads it, and what stands in another is
    not; of a list the first column holds its members."""
    for table in lines_of(data / "wiki" / "tables.jsonl.gz"):
        columns: dict[int, list[str]] = defaultdict(list)
        for row in table["rows"]:
            for at, cell in enumerate(row):
                columns[at] += cell["links"][:1]
        header = [(one["text"] if isinstance(one, dict) else one).lower().strip() for one in table["header"]]
        nouns = {at: name for at, name in enumerate(header) if about.heads.get(name, 0) >= LEAST}
        listed = _LISTED.match(table["title"])
        for at, links in columns.items():
            for said in (by_id[link] for link in links[:6] if link in by_id):
                extra = [
                    (plural(noun), noun, int(place == at))
                    for place, noun in nouns.items()
                    if place == at or all(about.apart(own, noun) for own in said.heads)
                ]
                extra += _of_list(said, about, listed[1], listed[2], at) if listed else []
                if extra:
                    yield replace(said, extra=extra[:4])


def _of_list(said: Said, about: World, members: str, many: str, column: int) -> list[tuple[str, str, int]]:
    """Whether what stands in a column of a list is one of the members that it is of, where that can be told."""
    noun = many[:-3] + "y" if many.endswith("ies") else many.removesuffix("s")
    like = noun in said.heads or any(noun in about.close.get(own, ()) for own in said.heads)
    if column < 2 and like:
        return [(members, noun, 1)]
    if noun in about.heads and all(about.apart(own, noun) for own in said.heads):
        return [(members, noun, 0)]
    return []


def from_claims(data: Path, part: str, rng: random.Random) -> Iterator[dict[str, Any]]:
    """What claims say of the subject of the page that settles them."""
    for row in lines_of(data / "fever" / "claims.jsonl.gz"):
        if not row["evidence"] or not row.get("titles") or part_of(row["titles"][0]) != part:
            continue
        title = row["titles"][0].replace("_", " ")
        name = re.sub(r"\s*\(.*\)$", "", title)
        if not row["claim"].startswith(name + " "):
            continue
        said = row["claim"][len(name) + 1 :].rstrip(" .")
        said = re.sub(r"^(?:is|was|are|were) (?:a|an|the|one of the) ", "", said)
        if len(said.split()) >= 2:
            yield {
                "title": title,
                "text": " ".join(row["evidence"])[:_LONGEST],
                "asked": [(said, int(row["label"] == "SUPPORTS"))],
            }


def from_packages(data: Path) -> Iterator[Said]:
    """Packages, of which the first line says what they are ("Real-time strategy game of ancient warfare")."""
    for row in lines_of(data / "debian" / "packages.jsonl.gz"):
        found = _SHELVED.match(row["text"].split("\n", 1)[0])
        words = found.group(1).split() if found else []
        if not words or words[-1] in STOP or words[-1].endswith("s") or not is_noun(words[-1]):
            continue
        kinds = [" ".join(words[-n:]) for n in (2, 3) if len(words) >= n and words[-n][0].isalpha()]
        yield Said(row["title"], row["text"], (words[-1],), tuple(kinds))


def unseen(folders: Sequence[Path]) -> frozenset[str]:
    """The words of the categories that benchmarks develop and report on: no lesson has one as its noun."""
    rows = (row for folder in folders for row in lines_of(folder / ATOMS) if not row["split"].startswith("train"))
    return frozenset(word.lower() for row in rows for word in re.findall(r"[\w+-]+", row["atom"]))


def made(data: Path, part: str, most: int, seed: int, hidden: frozenset[str]) -> Iterator[dict[str, Any]]:
    """The lessons of a part, `most` of pages by themselves, and those of tables, packages and claims."""
    rng = random.Random(f"{seed} {part}")
    by_id = {}
    for row in lines_of(data / "wiki" / "passages.jsonl.gz"):
        if (said := read(row["title"], row["text"])) is not None:
            by_id[row["_id"]] = said
    about = world(list(by_id.values()))
    maker = Maker(about, part, rng, hidden)
    own = [one for one in about.said if part == "train" or any(part_of(head) == part for head in one.heads)]
    # no type is seen in proportion to how usual it is: the root of that
    weights = [about.heads[one.heads[0]] ** -0.5 for one in own]
    drawn = list(dict.fromkeys(rng.choices(range(len(own)), weights, k=most)))
    tabled = list(from_tables(data, by_id, about))
    rng.shuffle(tabled)
    packaged = list(from_packages(data))
    shelf = Maker(world(packaged), part, rng, hidden)
    packaged = rng.sample(packaged, min(len(packaged), most // 4))
    asked = [(maker, own[at]) for at in drawn] + [(maker, one) for one in tabled[: most // 4]]
    for who, one in asked + [(shelf, one) for one in packaged]:
        if (lesson := who.lesson(one)) is not None and lesson["asked"]:
            yield lesson
    yield from from_claims(data, part, rng)


def of_people(data: Path, lessons: Path, held: bool, share: float) -> Iterator[dict[str, Any]]:
    """Lessons that were written for this project, with their texts; the `share` that is kept, or all others."""
    rows = list(lines_of(lessons))
    for row, text in zip(rows, texts_of(rows, data), strict=True):
        if (crc32(text.encode()) % 100 < 100 * share) == held:
            yield {"title": row["title"], "text": text[:_LONGEST], "asked": row["asked"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonRecipe(Recipe):
    """A recipe of the kind `constraint-lessons`: up to `most` of pages by themselves, and those of tables, packages and
    claims, of one `part`; the part `written` is those that were written, `written-held` what is kept of them, and
    `asked` and `asked-more` what was told of passages that a search found.
    Benchmarks that `answerable-bench sets build` wrote `hide` the categories that they hold out.
    """

    part: str = "train"
    most: int = 30_000
    seed: int = 23
    hide: tuple[str, ...] = ()

    def check(self) -> None:
        """As `Recipe`."""
        if self.part not in PARTS:
            raise UsageError(f"part is {self.part!r}", hint=f"it is one of {', '.join(PARTS)}")


def _make(recipe: LessonRecipe, data: Path, out: Path) -> Made:
    """Write the lessons, `PART.jsonl.gz`, for `[written]` of a recipe of the kind `constraints`."""
    answers: Counter[int] = Counter()
    constraints: set[str] = set()
    path = out / f"{recipe.part}.jsonl.gz"
    if recipe.part in _TOLD:
        lessons = of_people(data, *_TOLD[recipe.part])
    else:
        lessons = made(data, recipe.part, recipe.most, recipe.seed, unseen([*map(Path, recipe.hide)]))
    with gzip.open(path, "wt", encoding="utf8") as file:
        for lesson in lessons:
            file.write(json.dumps(lesson, ensure_ascii=False) + "\n")
            answers.update(label for _, label in lesson["asked"])
            constraints.update(text for text, _ in lesson["asked"])
    told = {"constraints": len(constraints), "fit": answers[1], "do not fit": answers[0], "lessons": str(path)}
    return Made(told, (json.dumps(told),))


KINDS = {"constraint-lessons": Kind(LessonRecipe, _make, labelled=False)}
