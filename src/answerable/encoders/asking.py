"""Questions of a passage by an encoder and a decoder, without torch: what is read, and a search with a beam.

    read   [CLS] title [SEP] text around the answer [SEP], the tokens of the answer and of the title marked
    said   P(token) = g P(token of the vocabulary said) + (1 - g) attention to where it stands in what is read

Made by `answerable.training.qapairs.questions`. The encoder is an expert of the encoder of skills. A token is said from
a vocabulary of its own or copied (See et al. 2017, equation 9), so that names and numbers are the text's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.session import Expert, Feed, Session
from answerable.encoders.shipped import Shipped, opening
from answerable.encoders.wordpieces import WordPieces

TOKENS, SAID = 128, 28
"""The most tokens of a text that are read, and of a question that are said, its end counted."""
TEXT, ANSWER, TITLE = 1, 2, 3
"""In `segments`: 0 is padding."""
_TITLE_TOKENS = 16
ASK, GRAPH, WRITE, VOCABULARY = "ask", "ask.onnx", "write.onnx", "ask.npz"
"""What the manifest says of it is under this key; the graphs that read and write, and the tokens that can be said."""
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class AskRow:
    """What is read for one answer: n tokens, what each is of, and its characters in the text, (0, 0) for others."""

    ids: list[int]
    segments: list[int]
    places: list[tuple[int, int]]


class AskLayout(WordPieces):
    """Lays out passages with the answers that questions are wanted for. Safe to use from several threads."""

    def question(self, text: str, typed: bool) -> list[int]:
        """Token ids of a question as it is learned: how it is said, as people type or as they write, then it, then
        [SEP]."""
        return [self.how(typed), *self.ids([text], 512)[0][1:]]

    @property
    def end(self) -> int:
        """The token with which a question ends."""
        return int(self._end)

    @property
    def marks(self) -> tuple[int, ...]:
        """Tokens that are never said."""
        return tuple(int(self._tokenizer.token_to_id(one)) for one in ("[PAD]", "[UNK]", "[CLS]", "[MASK]"))

    def how(self, typed: bool) -> int:
        """The token before a question: whether it is put as people type or as they write."""
        return int(self._tokenizer.token_to_id("[MASK]")) if typed else self._begin

    def spoken(self, tokens: Sequence[int], row: AskRow, title: str, text: str) -> str:
        """A question as it is written: words of the text as they stand there, the others in lower case."""
        wanted, read = self._words(tokens), self._words(row.ids)
        starts = np.cumsum([0, *map(len, read)]).tolist()
        said, at = list[str](), 0
        while at < len(wanted):
            place, count = _longest(wanted[at:], read)
            if count:
                begin, end = row.places[starts[place]][0], row.places[starts[place + count] - 1][1]
                titled = row.segments[starts[place]] == TITLE
                held = f"{title}\n{text}" if titled else f"{text}\n{title}"
                said.append(_cased(" ".join(held[begin:end].split()), held, begin))
            else:
                said.append("".join(self._tokenizer.id_to_token(one).removeprefix("##") for one in wanted[at]))
            at += max(1, count)
        return _joined(said)

    def _words(self, tokens: Sequence[int]) -> list[tuple[int, ...]]:
        """Tokens by the words that they are pieces of."""
        words: list[tuple[int, ...]] = []
        for one in tokens:
            if words and str(self._tokenizer.id_to_token(one)).startswith("##"):
                words[-1] += (one,)
            else:
                words.append((one,))
        return words

    def rows(self, title: str, text: str, answers: Sequence[tuple[int, int]], most: int = TOKENS) -> list[AskRow]:
        """A row for each answer, in characters [start, end) of `text`, of at most `most` tokens.

        A long text is cut to what stands around the answer.
        """
        if not answers:
            return []
        heading, whole = self._encode([title, text], 1 << 14)
        opening = [self._begin, *heading.ids[:_TITLE_TOKENS], self._end]
        of_title = [TEXT, *[TITLE] * (len(opening) - 2), TEXT]
        room = most - len(opening) - 1
        rows = []
        for start, end in answers:
            inside = [i for i, (a, b) in enumerate(whole.offsets) if a < end and b > start]
            first, last = (inside[0], inside[-1] + 1) if inside else (0, 0)
            begin = min(max(0, (first + last - room) // 2), max(0, len(whole.ids) - room))
            ids, places = whole.ids[begin : begin + room], list(whole.offsets[begin : begin + room])
            marks = [ANSWER if first <= begin + i < last else TEXT for i in range(len(ids))]
            none = [(0, 0), *heading.offsets[:_TITLE_TOKENS], (0, 0)]
            rows.append(AskRow([*opening, *ids, self._end], [*of_title, *marks, TEXT], [*none, *places, (0, 0)]))
        return rows


def padded(rows: Sequence[AskRow]) -> Feed:
    """`ids` and `segments` of rows, each (n, longest) int64, padded with zeros."""
    ids, segments = (np.zeros((len(rows), max(len(row.ids) for row in rows)), np.int64) for _ in range(2))
    for number, row in enumerate(rows):
        ids[number, : len(row.ids)], segments[number, : len(row.ids)] = row.ids, row.segments
    return {"ids": ids, "segments": segments}


def _longest(wanted: Sequence[tuple[int, ...]], read: Sequence[tuple[int, ...]]) -> tuple[int, int]:
    """Where the longest run of words with which `wanted` begins stands in what was read, and how long it is.

    [CLS] and [SEP] are never said, so that no run is of title and text.
    """
    best, count = 0, 0
    for place in range(len(read)):
        run = 0
        while run < min(len(wanted), len(read) - place) and read[place + run] == wanted[run]:
            run += 1
        if run > count:
            best, count = place, run
    return best, count


def _cased(words: str, text: str, begin: int) -> str:
    """Words of a text as they are written within a sentence: a capital that only begins one, or a name of several
    words, goes where the same word stands elsewhere without."""
    first, _, rest = words.partition(" ")
    begins = not text[:begin].rstrip() or text[:begin].rstrip()[-1] in '.!?:\n"“'
    lower = re.search(rf"\b{re.escape(first.lower())}\b", text) if first[:1].isupper() and first[1:].islower() else None
    return words[:1].lower() + words[1:] if lower and (begins or not rest) else words


_BEFORE, _AFTER = re.compile(r" (?=[,.?!;:)%])"), re.compile(r"(?<=[($£€#]) ")
_APOSTROPHE = re.compile(r" ?['’] (?=(?:s|t|re|ve|ll|d|m)\b)")


def _joined(said: Sequence[str]) -> str:
    """Words as one question."""
    text = _APOSTROPHE.sub("'", _AFTER.sub("", _BEFORE.sub("", " ".join(said))))
    return text[:1].upper() + text[1:]


class Asker(Expert):
    """Asks questions of passages, from a folder that holds the model."""

    key, lacking = ASK, "asks no questions"

    def __init__(self, shipped: Shipped, threads: int = 0) -> None:
        """Open the model as `Expert`."""
        super().__init__(shipped, threads)
        with opening(shipped):
            self._layout = AskLayout(shipped.file("tokenizer.json"))
            self._writer = Session(shipped.file(WRITE), threads)
            with np.load(shipped.file(VOCABULARY)) as held:
                self._said: NDArray[np.int64] = held["said"].astype(np.int64)
            self._places = {int(token): place for place, token in enumerate(self._said)}
            self._tokens, most = int(self.about["tokens"]), int(shipped.about["tokens"])
            parts = [self._said[at : at + most] for at in range(0, len(self._said), most)]
            self._words = np.concatenate([self._embedded(part) for part in parts])
            self._end = self._places[self._layout.end]
            self._never = [self._places[one] for one in self._layout.marks if one in self._places]

    def ask(
        self, title: str, text: str, answers: Sequence[tuple[int, int]], beams: int
    ) -> list[list[tuple[str, float]]]:
        """For each answer, characters [start, end) of a passage, up to `beams` questions with their probabilities for a
        token (geometric mean), the likeliest first. They are put as people write, not as they type."""
        rows = self._layout.rows(title, text, answers, self._tokens)
        found = []
        for begin in range(0, len(rows), _ROWS):
            some = rows[begin : begin + _ROWS]
            for row, said in zip(some, self._searched(some, beams), strict=True):
                best: dict[str, float] = {}
                for tokens, score in said:
                    question = self._layout.spoken(tokens, row, title, text)
                    best[question] = max(score, best.get(question, 0.0))
                found.append(sorted(best.items(), key=lambda one: (-one[1], one[0])))
        return found

    def _embedded(self, ids: NDArray[np.int64]) -> Floats:
        words: Floats = self._session.run({"ids": ids[None], "segments": np.ones_like(ids[None])})[2][0]
        return words

    def _searched(self, rows: Sequence[AskRow], beams: int) -> list[list[tuple[list[int], float]]]:
        """Token ids of questions and their probabilities, up to `beams` for each row."""
        feed = padded(rows)
        texts, keys, words = self._session.run(feed)
        mask = (feed["segments"] > 0).astype(np.int64)
        slots, extra = self._slots(feed["ids"])
        count, heads, width = len(rows), texts.shape[3], texts.shape[5]
        before = np.zeros((len(texts), 2, count * beams, heads, 0, width), np.float32)
        first = self._layout.how(False)
        last = np.broadcast_to(self._embedded(np.array([first]))[0], (count, beams, keys.shape[2])).astype(np.float32)
        sums = np.full((count, beams), -np.inf)
        sums[:, 0] = 0.0
        tokens: list[list[list[int]]] = [[[] for _ in range(beams)] for _ in rows]
        ended: list[list[tuple[list[int], float]]] = [[] for _ in rows]
        for place in range(SAID):
            said = {"words": last, "place": np.array([place]), "before": before}
            logits, copied, gate, before = self._writer.run({**said, "texts": texts, "keys": keys, "mask": mask})
            chances = self._chances(logits, copied, gate, slots, extra.shape[1])
            chances[..., self._never] = 0.0
            with np.errstate(divide="ignore"):
                total = sums[..., None] + np.log(chances)
            parents = np.zeros((count, beams), np.int64)
            for row in range(count):
                parents[row], sums[row], tokens[row], chosen = self._grown(
                    total[row], tokens[row], ended[row], extra[row]
                )
                last[row] = [self._vector(one, words[row], slots[row]) for one in chosen]
            if all(len(one) >= beams for one in ended) or not np.isfinite(sums).any():
                break
            flat = (parents + beams * np.arange(count)[:, None]).reshape(-1)
            before = before[:, :, flat]
        return [sorted(one, key=lambda it: -it[1])[:beams] for one in ended]

    def _slots(self, ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each token read its place among all that can be said, and (b, u) what these are beyond the vocabulary."""
        further: list[list[int]] = []
        slots = np.zeros_like(ids)
        for number, row in enumerate(ids.tolist()):
            new = list(dict.fromkeys(token for token in row if token not in self._places))
            places = {token: len(self._said) + i for i, token in enumerate(new)}
            slots[number] = [self._places.get(token, places.get(token, 0)) for token in row]
            further.append(new)
        extra = np.zeros((len(ids), max(map(len, further))), np.int64)
        for number, new in enumerate(further):
            extra[number, : len(new)] = new
        return slots, extra

    def _chances(
        self, logits: Floats, copied: Floats, gate: Floats, slots: NDArray[np.int64], further: int
    ) -> NDArray[np.float64]:
        """(b, k, vocabulary + further) probabilities of the next token."""
        say = 1.0 / (1.0 + np.exp(-gate.astype(np.float64)))
        chances = np.concatenate([_softmax(logits) * say, np.zeros((*logits.shape[:2], further))], axis=-1)
        pointed = _softmax(copied) * (1.0 - say)
        beams = np.arange(logits.shape[1])[:, None]
        for number in range(len(chances)):
            np.add.at(chances[number], (beams, slots[number][None]), pointed[number])
        return chances

    def _grown(
        self,
        total: NDArray[np.float64],
        tokens: list[list[int]],
        ended: list[tuple[list[int], float]],
        extra: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], list[list[int]], list[int]]:
        """The beams of one row a token longer: which each goes on from, its sum, its tokens, and the place of the last
        among all that can be said. What comes to its end joins `ended`; none says three tokens twice (Paulus et al.
        2018, section 2.5)."""
        beams, width = total.shape
        flat, looked = total.reshape(-1), 4 * beams
        best = np.argpartition(-flat, looked)[:looked]
        best = best[np.argsort(-flat[best], kind="stable")]
        parents, sums, grown, chosen = list[int](), list[float](), list[list[int]](), list[int]()
        for one in best.tolist():
            parent, place = divmod(one, width)
            if not np.isfinite(flat[one]):
                break
            if place == self._end:
                ended.append((tokens[parent], float(np.exp(flat[one] / (len(tokens[parent]) + 1)))))
            elif len(parents) < beams:
                token = int(self._said[place] if place < len(self._said) else extra[place - len(self._said)])
                if _repeats(tokens[parent], token):
                    continue
                parents.append(parent)
                sums.append(float(flat[one]))
                grown.append([*tokens[parent], token])
                chosen.append(place)
        short = beams - len(parents)
        return (
            np.array(parents + [0] * short),
            np.array(sums + [-np.inf] * short),
            grown + [[] for _ in range(short)],
            chosen + [self._end] * short,
        )

    def _vector(self, place: int, words: Floats, slots: NDArray[np.int64]) -> Floats:
        """What the token at a place among all that can be said is read as."""
        said = place < len(self._said)
        vector: Floats = self._words[place] if said else words[int(np.flatnonzero(slots == place)[0])]
        return vector


def _repeats(tokens: Sequence[int], token: int) -> bool:
    """Whether the last two tokens were followed by this one before."""
    last = [*tokens[-2:], token]
    return any(list(tokens[at : at + 3]) == last for at in range(len(tokens) - 2))


_ROWS = 16
"""Answers of a passage that are asked about at once."""


def _softmax(scores: Floats) -> NDArray[np.float64]:
    raised = np.asarray(np.exp(scores.astype(np.float64) - scores.max(-1, keepdims=True)))
    found: NDArray[np.float64] = raised / raised.sum(-1, keepdims=True)
    return found
