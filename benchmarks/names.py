"""Names in text and the pages they name: proposals and links of an encoder of skills, beside capital letters and words.

    python benchmarks/names.py --data DATA --encoder skills [--part report] [--limit 150] [--pages 10000] [--json FILE]

Texts are multi-hop questions and their gold passages. The names known in them are those that are titles of pages: of
gold passages, or of pages of the pool (`answerable.training.skills.titles`). Many a name has no page there, so that
precision is a lower bound. A name counts only with the very same first and last character.

page@1: of the known names, how many are proposed and have the right page first, among `--pages` pages; "given" counts
all of them, whether proposed or not. Capitals: runs of capitalised words, looked for among the pages by words (BM25).
"""

from __future__ import annotations

import random
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np

import common
from answerable.corpora.store import Row
from answerable.encoders.choose import open_encoder
from answerable.encoders.expansion import named_spans
from answerable.encoders.skills import ModularEncoder
from answerable.errors import UsageError
from answerable.indexes.lexical import Bm25Index, build_bm25
from answerable.training.corpora import Corpora
from answerable.training.skills import supervised
from answerable.training.skills.example import Span, Text
from answerable.types import Skill

SOURCES = ("hotpotqa", "2wikimultihopqa", "musique")
Known = dict[str, dict[Span, Text]]
Pages = Callable[[str, list[Span]], list[Text]]
"""The page found first for each span of a text."""


def texts(corpora: Corpora, part: str, most: int) -> dict[str, Known]:
    """Questions and passages with their names and what these name, at most `most` of each source and kind."""
    found: dict[str, Known] = {}
    for source in SOURCES:
        pages: dict[str, dict[Span, Text]] = defaultdict(dict)
        asked = {one.query for one in supervised.questions(source, Skill.SINGLE, corpora, part)}
        for one in supervised.questions(source, Skill.MENTION, corpora, part):
            assert one.span is not None
            pages[one.query][one.span] = one.positives[0]
        for kind in ("questions", "passages"):
            chosen = sorted(text for text in pages if (text in asked) == (kind == "questions"))
            random.Random(6).shuffle(chosen)
            found[f"{source} {kind}"] = {text: pages[text] for text in chosen[:most]}
    return found


def to_search(corpora: Corpora, known: dict[str, Known], size: int) -> list[Text]:
    """The pages that are named, and others of the pool up to `size`."""
    pages = dict.fromkeys(page for texts in known.values() for spans in texts.values() for page in spans.values())
    others = [text for text in corpora.corpus("pool").values() if text not in pages]
    random.Random(5).shuffle(others)
    return [*pages, *others[: max(0, size - len(pages))]]


def by_vectors(encoder: ModularEncoder, pages: list[Text]) -> Pages:
    """Linking: the nearest page to a mention's vector."""
    held = encoder.encode_entities(pages)

    def first(text: str, spans: list[Span]) -> list[Text]:
        found = np.argmax(encoder.encode_mentions(text, spans) @ held.T, axis=1) if spans else []
        return [pages[number] for number in found]

    return first


def by_words(pages: list[Text]) -> Pages:
    """BM25 with a name's words."""
    folder = Path(tempfile.mkdtemp())
    rows = (Row(number, str(number), title, "", text) for number, (title, text) in enumerate(pages))
    build_bm25(rows, folder, lambda *_: None, len(pages))
    index = Bm25Index(folder, lambda keys: {key: str(key) for key in keys})

    def first(text: str, spans: list[Span]) -> list[Text]:
        found = [index.search(text[start:end], 1) for start, end in spans]
        return [pages[int(best[0][0])] if best else ("", "") for best in found]

    return first


def measures(known: Known, propose: Callable[[str], list[Span]], first: Pages) -> dict[str, float]:
    """Precision, recall, F1, page@1 and page@1 given the names, in per cent, over all names of all texts."""
    said = both = right = given = names = 0
    for text, spans in known.items():
        found = set(propose(text))
        pages = first(text, list(spans))
        hits = [page == wanted for page, wanted in zip(pages, spans.values(), strict=True)]
        said, names, both = said + len(found), names + len(spans), both + len(found & set(spans))
        right += sum(hit for hit, span in zip(hits, spans, strict=True) if span in found)
        given += sum(hits)
    whole = {"P": both / max(1, said), "R": both / max(1, names), "F1": 2 * both / max(1, said + names)}
    return {name: 100 * value for name, value in (whole | {"page@1": right / names, "given": given / names}).items()}


def main(words: list[str] | None = None) -> None:
    """Print a table."""
    parser = common.parser(__doc__, "data", limit=150)
    parser.add_argument("--encoder", default="skills")
    parser.add_argument("--part", choices=["report", "development"], default="report")
    parser.add_argument("--pages", type=int, default=10_000)
    given = parser.parse_args(words)
    encoder = open_encoder(given.encoder)
    if not isinstance(encoder, ModularEncoder):
        raise UsageError(f"the encoder {given.encoder} proposes no names", hint="give one of skills")
    corpora = Corpora(given.data)
    known = texts(corpora, given.part, given.limit)
    pages = to_search(corpora, known, given.pages)
    nearest = by_vectors(encoder, pages)
    systems: dict[str, tuple[Callable[[str], list[Span]], Pages]] = {
        "capitals and BM25": (named_spans, by_words(pages)),
        encoder.name: (lambda text: [span for span, score in encoder.propose(text) if score > 0], nearest),
    }
    table = common.Table()
    for name, (propose, first) in systems.items():
        for group, held in known.items():
            table.add({"system": name, "texts": group, "n": len(held), **measures(held, propose, first)})
    common.write(given.json, table)


if __name__ == "__main__":
    main()
