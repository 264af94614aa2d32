"""What is known of a program beside its question: the names of features of each of its parts.

A part (what is said, which rows, each condition, what they are sorted by, ...) is described once, however many programs
have it. Words of the question stand in a feature only where its `vocabulary` has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from answerable.tables.asked import ORDERS, Asked, Condition
from answerable.tables.cells import Table, stem, stems
from answerable.tables.nearness import Near
from answerable.tables.programs import Program, places

Part = tuple[Any, ...]
"""The kind of a part, and what it is."""
_ASKING = frozenset("who what which when where how whose why whom".split())
_STATED = frozenset(("not", "empty", "filled", "yes", "no", "month"))


def grams(asked: Asked) -> list[str]:
    """The words of a question and its pairs of words, numbers as "#"."""
    said = _marked(asked)
    return list(dict.fromkeys([*said, *(f"{a}_{b}" for a, b in zip(["^", *said], [*said, "$"], strict=True))]))


def _marked(asked: Asked) -> list[str]:
    return ["#" if word[0].isdecimal() else word for word in asked.words]


def _size(count: float) -> str:
    return str(int(count)) if count < 4 else "4+" if count < 8 else "8+"


class Parts:
    """The parts of the programs of one question over one table, and their features."""

    def __init__(
        self,
        asked: Asked,
        table: Table,
        known: Sequence[Condition],
        vocabulary: frozenset[str],
        near: Sequence[Near] = (),
    ) -> None:
        self._asked, self._table, self._known, self._near = asked, table, known, near
        self._said = _marked(asked)
        self._grams = [gram for gram in grams(asked) if gram in vocabulary]
        self._words = [gram for gram in self._grams if "_" not in gram]
        self._usual = {word for word in self._said if word in vocabulary}
        self._opening = self._opened()
        self._title = {*stems(table.title)}
        self._lefts: dict[tuple[tuple[int, ...], frozenset[int]], tuple[int, ...]] = {}
        self._met = {at for one in known for at in range(one.start, one.end)} & {*asked.telling}
        telling = {asked.stems[at] for at in asked.telling}
        self._overlaps = [_overlap(head, telling) for head in table.heads]

    def _opened(self) -> list[str]:
        for at, word in enumerate(self._said):
            if word in _ASKING:
                after = self._said[at + 1 : at + 3]
                return [word, "_".join([word, *after[:1]]), *(f"wh.{stem(one)}" for one in after)]
        return ["none", f"begins.{self._said[0]}" if self._said else "empty"]

    def of(self, program: Program) -> list[Part]:
        """The parts of a program."""
        (kind, used, sort), column = program.selector, program.column
        asked, table = self._asked, self._table
        by = "" if not sort else f"{sort.by}{'' if sort.place == 1 else 'k'}"
        made: list[Part] = [("op", program.op), ("rows", kind, by)]
        conditions = [self._known[number] for number in used]
        for number, one in zip(used, conditions, strict=True):
            made.append(("condition", number))
            if column == one.column:
                made.append(("same", f"{program.op}.condition.{one.kind in ORDERS}"))
        if sort and sort.column >= 0:
            made.append(("column", sort.by, sort.column))
            if sort.column == column:
                made.append(("same", f"{program.op}.sort"))
            if any(one.column == sort.column for one in conditions):
                made.append(("same", "sort.condition"))
        if column >= 0:
            made.append(("column", program.op, column))
        left = self._left(program)
        made.append(("left", tuple(self._said[at] for at in left)))
        made.append(("ignored", min(sum(at in self._met for at in left), 4)))
        kinds = ("cmp" if one.kind in ORDERS else one.kind for one in conditions)
        made.append(("shape", program.op, kind, by, ".".join(sorted(kinds))))
        if isinstance(program.values, float):
            repeated = any(value == program.values for _, _, value, _ in asked.numbers)
            made.append(("answer", program.op, "number", "1", repeated, program.values == 0))
        else:
            said = stems(program.values[0])
            runs = (asked.stems[at : at + len(said)] for at in range(len(asked.stems) - len(said) + 1))
            size = _size(len(program.values))
            made.append(("answer", program.op, table.shapes[column], size, bool(said) and said in runs, not said))
        return made

    def ignored(self, program: Program) -> tuple[str, ...]:
        """The telling words of the question that cells of the table say and the program leaves out."""
        return tuple(self._asked.words[at] for at in self._unsaid(program) if at in self._met)

    def unexplained(self, program: Program) -> tuple[str, ...]:
        """The telling words of the question that neither the program's conditions nor its columns nor the title say,
        nor cells of each of its rows."""
        return tuple(self._said[at] for at in self._unsaid(program))

    def _unsaid(self, program: Program) -> Iterator[int]:
        rows, cells = places(program.rows), self._table.stems
        for at in self._left(program):
            word = self._asked.stems[at]
            if not rows or not all(any(word in column[row] for column in cells) for row in rows):
                yield at

    def _left(self, program: Program) -> tuple[int, ...]:
        """Which of the telling words neither a program's conditions nor its columns nor the title say."""
        _, used, sort = program.selector
        columns = frozenset((program.column, sort.column if sort else -1))
        return self._uncovered(used, columns)

    def _uncovered(self, used: tuple[int, ...], columns: frozenset[int]) -> tuple[int, ...]:
        if (found := self._lefts.get((used, columns))) is not None:
            return found
        conditions = [self._known[number] for number in used]
        covered = {at for one in conditions for at in range(one.start, one.end)}
        said = {*columns, *(one.column for one in conditions)} - {-1}
        heads = {word for column in said for word in self._table.heads[column]} | self._title
        left = (at for at in self._asked.telling if at not in covered and self._asked.stems[at] not in heads)
        found = self._lefts[used, columns] = tuple(left)
        return found

    def features(self, part: Part) -> Iterator[str]:
        """The names of the features of a part."""
        made: Iterator[str] = getattr(self, f"_of_{part[0]}")(*part[1:])
        return made

    def _of_op(self, op: str) -> Iterator[str]:
        yield f"op.{op}"
        for gram in self._grams:
            yield f"op.{op}~{gram}"

    def _of_rows(self, kind: str, by: str) -> Iterator[str]:
        yield f"rows.{kind}.{by}"
        for gram in self._grams:
            yield f"rows.{by or kind}~{gram}"

    def _of_column(self, use: str, column: int) -> Iterator[str]:
        kind, overlap, head = self._table.shapes[column], self._overlaps[column], self._table.heads[column]
        yield f"{use}.{overlap}"
        yield f"{use}.{kind}.{overlap}"
        if self._near:
            near = self._near[column]
            yield f"near.{use}.{near.place}.{overlap}"
            yield f"near.{near.place}.{kind}"
            yield f"near.word.{use}.{near.by_word}"
            yield f"near.whole.{use}.{near.by_question}"
            yield f"near.size.{near.size}.{overlap}"
        if column == 0:
            yield f"{use}.first"
        if column == len(self._overlaps) - 1:
            yield f"{use}.last"
        if use == "say":
            for word in self._opening:
                yield f"say.{kind}~{word}"
            yield f"say.head.{bool(head) and f'wh.{head[-1]}' in self._opening}"
        else:
            for gram in self._grams:
                yield f"{use}.{kind}~{gram}"
        for word in head[:3]:
            for said in self._words:
                yield f"{use}:{word}~{said}"

    def _of_condition(self, number: int) -> Iterator[str]:
        one, words = self._known[number], self._asked.words
        kind, overlap, name = (
            self._table.shapes[one.column],
            self._overlaps[one.column],
            f"if.{self._known[number].kind}",
        )
        before = words[one.start - 1] if one.start else "^"
        after = words[one.end] if one.end < len(words) else "$"
        yield name
        yield f"{name}.{overlap}"
        yield f"{name}.{kind}~{before}"
        yield f"{name}.{kind}~{after}"
        if one.kind in ORDERS:
            yield f"{name}~{'_'.join(words[max(0, one.start - 2) : one.start])}"
            yield f"{name}~any.{'_'.join(words[one.end : one.end + 2])}"
        elif one.end > one.start:
            telling = sum(one.start <= at < one.end for at in self._asked.telling)
            count = one.rows.bit_count()
            yield f"{name}.telling.{_size(telling)}"
            yield f"{name}.left.{_size(one.size - (one.end - one.start))}"
            yield f"{name}.rows.{'1' if count == 1 else 'all' if count == len(self._table.rows) else 'some'}"
            if one.end - one.start == 1 and words[one.start][0].isdecimal():
                yield f"{name}.digits.{kind}"
        if self._near:
            yield f"{name}.near.{self._near[one.column].place}.{overlap}"
        if one.column == 0:
            yield f"{name}.first"
        for gram in self._grams if one.kind in _STATED else ():
            yield f"{name}~{gram}"
        for word in self._table.heads[one.column][:2]:
            yield f"if:{word}~{before}"

    def _of_left(self, words: tuple[str, ...]) -> Iterator[str]:
        yield f"left.{_size(len(words))}"
        yield f"left.rare.{_size(sum(word not in self._usual for word in words))}"
        for word in words:
            if word in self._usual:
                yield f"left~{word}"

    def _of_ignored(self, count: int) -> Iterator[str]:
        yield f"ignored.{count}"

    def _of_shape(self, *of: str) -> Iterator[str]:
        name = f"shape.{'.'.join(of)}"
        yield name
        for word in self._opening[:2]:
            yield f"{name}~{word}"

    def _of_answer(self, op: str, what: str, size: str, repeated: bool, empty: bool) -> Iterator[str]:
        yield f"answer.{op}.{size}"
        for word in self._opening:
            yield f"answer.{what}~{word}"
        yield f"answer.size.{size}~{self._opening[-1]}"
        if repeated:
            yield f"answer.repeats.{op}"
        if empty:
            yield "answer.empty"

    def _of_same(self, use: str) -> Iterator[str]:
        yield f"same.{use}"
        for word in self._opening:
            yield f"same.{use}~{word}"


def _overlap(head: Sequence[str], telling: set[str]) -> str:
    """How much of a column's name the question says."""
    said = sum(word in telling for word in head)
    if said:
        return "all" if said == len(head) else "some"
    near = any(len(word) > 3 and one.startswith(word[:4]) for word in head for one in telling if len(one) > 3)
    return "near" if near else "no"
