"""What a judge of constraints learns "is an X" from, as against "about X": lessons of texts that say what they are.

    python benchmarks/judge_lessons.py --data DATA --out FILE [--most N] [--part train|development|report]

An encyclopaedia's page says in its first sentence what its subject is ("Hook Lighthouse is a lighthouse in County
Wexford, Ireland"), and so does a table of the things in a column, a list of its members, a claim of its subject. From
these come constraints of many kinds: types, types in a place or of a country, places within others, times of birth and
of works, and who made them. A text does not fit what it only mentions ("lighthouses" of a town that has one), what is
of another place or time, nor another type in its own place. Types that often stand beside each other, or that mean much
the same, are not held against each other.

Each line is a lesson: `title`, `text`, and `asked`, pairs of a constraint and 1 or 0. The nouns of constraints belong
to one part each, by their digest: eight of ten to `train`, one to `development`, one to `report`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from judge_asked import Maker
from judge_says import LEAST, STOP, UNSAID, Said, World, part_of, plural, read, world


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a compressed file."""
    with gzip.open(path, "rt", encoding="utf8") as file:
        yield from map(json.loads, file)


def from_tables(data: Path, by_id: Mapping[str, Said], about: World) -> Iterator[Said]:
    """Texts that tables link to: what stands in a column is of the type that heads it, and what stands in another is
    not; of a list the first column holds its members."""
    for table in lines(data / "wiki" / "tables.jsonl.gz"):
        columns: dict[int, list[str]] = defaultdict(list)
        for row in table["rows"]:
            for at, cell in enumerate(row):
                columns[at] += cell["links"][:1]
        header = [(one["text"] if isinstance(one, dict) else one).lower().strip() for one in table["header"]]
        nouns = {at: name for at, name in enumerate(header) if name in about.heads and about.heads[name] >= LEAST}
        listed = re.match(
            r"List of ((?:[\w'’-]+\s){0,4}?([a-z]+s)(?:\s(?:in|of|from)\s(?:the\s)?[A-Z][\w ]+)?)(?:\sby\s.*|\s\(.*)?$",
            table["title"],
        )
        for at, links in columns.items():
            for link in links[:6]:
                if (said := by_id.get(link)) is None:
                    continue
                extra = []
                for place, noun in nouns.items():
                    if place == at or all(about.apart(own, noun) for own in said.heads):
                        extra.append((plural(noun), noun, int(place == at)))
                if listed:
                    noun = (
                        listed.group(2).removesuffix("s")
                        if not listed.group(2).endswith("ies")
                        else listed.group(2)[:-3] + "y"
                    )
                    like = noun in said.heads or any(noun in about.close.get(own, ()) for own in said.heads)
                    if at < 2 and like:
                        extra.append((listed.group(1), noun, 1))
                    elif noun in about.heads and all(about.apart(own, noun) for own in said.heads):
                        extra.append((listed.group(1), noun, 0))
                if extra:
                    yield Said(
                        said.title,
                        said.text,
                        said.heads,
                        said.kinds,
                        said.demonyms,
                        said.places,
                        said.born,
                        said.died,
                        said.year,
                        said.by,
                        extra[:4],
                    )


def from_claims(data: Path, part: str, rng: random.Random) -> Iterator[dict[str, Any]]:
    """What claims say of the subject of the page that settles them."""
    for row in lines(data / "fever" / "claims.jsonl.gz"):
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
                "text": " ".join(row["evidence"])[:900],
                "asked": [(said, int(row["label"] == "SUPPORTS"))],
            }


def from_packages(data: Path) -> Iterator[Said]:
    """Packages, of which the first line says what they are ("Real-time strategy game of ancient warfare")."""
    for row in lines(data / "debian" / "packages.jsonl.gz"):
        first = row["text"].split("\n", 1)[0]
        found = re.match(
            r"^((?:[\w+./-]+\s){0,5}?[a-z]{3,})(?:\s(?:for|of|to|with|in|from|that|which|based|written|using|and|on|by)\s.*)?$",
            first,
        )
        if found is None:
            continue
        words = found.group(1).split()
        head = words[-1]
        if head in UNSAID or head in STOP or head.endswith(("ing", "ed", "ly", "able", "ous")) or head.endswith("s"):
            continue
        kinds = [" ".join(words[-n:]) for n in (2, 3) if len(words) >= n and words[-n][0].isalpha()]
        yield Said(row["title"], row["text"], (head,), tuple(kinds))


def unseen(folders: Sequence[Path]) -> frozenset[str]:
    """The words of the categories that benchmarks develop and report on: no lesson has one as its noun."""
    rows = (json.loads(line) for folder in folders for line in (folder / "atoms.jsonl").open(encoding="utf8"))
    return frozenset(
        word.lower()
        for row in rows
        if not row["split"].startswith("train")
        for word in re.findall(r"[\w+-]+", row["atom"])
    )


def made(data: Path, part: str, most: int, seed: int, hidden: frozenset[str]) -> Iterator[dict[str, Any]]:
    """The lessons of a part, `most` of pages by themselves, and those of tables, packages and claims."""
    rng = random.Random(f"{seed} {part}")
    by_id = {}
    for row in lines(data / "wiki" / "passages.jsonl.gz"):
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


def main(words: list[str] | None = None) -> None:
    """Write the lessons, and print how many of each answer there are."""
    given = arguments().parse_args(words)
    answers: Counter[int] = Counter()
    constraints: set[str] = set()
    with gzip.open(given.out, "wt", encoding="utf8") as file:
        for lesson in made(given.data, given.part, given.most, given.seed, unseen(given.hide)):
            file.write(json.dumps(lesson, ensure_ascii=False) + "\n")
            answers.update(label for _, label in lesson["asked"])
            constraints.update(text for text, _ in lesson["asked"])
    print(f"{len(constraints)} constraints, {answers[1]} answers that it fits and {answers[0]} that it does not")


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", choices=("train", "development", "report"), default="train")
    parser.add_argument("--most", type=int, default=30_000)
    parser.add_argument(
        "--hide", type=Path, nargs="*", default=[], help="benchmarks whose held out categories are none"
    )
    parser.add_argument("--seed", type=int, default=23)
    return parser


if __name__ == "__main__":
    main()
