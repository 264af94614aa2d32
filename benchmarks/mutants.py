"""Small bugs made of the functions of a file by mutmut's operators and a few more; `mutation.py` tries them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent / "src" / "answerable"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One bug: which file, function and lines (from 1) it is in, and what stands there instead of what."""

    file: str
    function: str
    first: int
    last: int
    before: str
    after: str
    text: str


def mutants(path: Path) -> Iterator[Callable[[], Mutant]]:
    """What makes each that can be made of the functions of a file, in the order of its text."""
    import libcst as cst
    from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

    was = path.read_text(encoding="utf8")
    wrapper = MetadataWrapper(cst.parse_module(was))
    places, parents = wrapper.resolve(PositionProvider), wrapper.resolve(ParentNodeProvider)

    def make(node: Any, other: Any, function: str, lines: tuple[int, int]) -> Mutant:
        text = wrapper.module.deep_replace(node, other).code
        return Mutant(str(path.relative_to(SOURCE)), function, *lines, *differing(was, text), text)

    for node in list(places):
        above = list(_above(node, parents))
        around = [one for one in above if isinstance(one, cst.FunctionDef)]
        if not around or not any(node is one or one in above for one in around[-1].body.body):
            continue
        if any(isinstance(one, cst.Annotation | cst.Decorator | cst.Raise | cst.Parameters) for one in (node, *above)):
            continue
        if any(map(_left_alone, (node, *above))):
            continue
        names = [one.name.value for one in above if isinstance(one, cst.ClassDef | cst.FunctionDef)]
        outer = names[::-1][: len(names) - len(around) + 1]
        statement = next((one for one in (node, *above) if isinstance(one, cst.BaseSmallStatement)), node)
        seen: set[str] = set()
        code = wrapper.module.code_for_node
        for other in _changed(node):
            if code(other) not in (*seen, code(node)):
                seen.add(code(other))
                lines = places[statement].start.line, places[node].end.line
                yield partial(make, node, other, ".".join(outer), lines)


def differing(was: str, now: str) -> tuple[str, str]:
    """The lines in which two texts differ."""
    old, new = was.splitlines(), now.splitlines()
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    return "\n".join(old[start : len(old) - end]).strip(), "\n".join(new[start : len(new) - end]).strip()


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _above(node: Any, parents: Any) -> Iterator[Any]:
    while node in parents:
        node = parents[node]
        yield node


def _changed(node: Any) -> Iterator[Any]:
    """What the operators make of a node: mutmut's, of strings only the first, and a few of our own."""
    import libcst as cst
    from mutmut.mutation.mutators import mutation_operators, operator_string

    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            made = list(operator(node))
            for other in made[:1] if operator is operator_string else made:
                if not isinstance(node, cst.Call) or _untold(other) == _untold(node):
                    yield other
    nothing = cst.Name("None")
    if isinstance(node, cst.If | cst.While):
        bracketed = node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        yield node.with_changes(test=cst.UnaryOperation(cst.Not(), bracketed))
    elif isinstance(node, cst.CompIf):
        yield node.with_changes(test=cst.Name("True"))
    elif isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
        yield node.with_changes(value=nothing)
    elif isinstance(node, cst.Return) and node.value is not None and not node.value.deep_equals(nothing):
        yield node.with_changes(value=nothing, whitespace_after_return=cst.SimpleWhitespace(" "))


def _untold(call: Any) -> list[tuple[str, Any]]:
    return [(one.keyword.value, getattr(one.value, "value", None)) for one in call.args if _left_alone(one)]


def _left_alone(node: Any) -> bool:
    """Whether a node is an argument that changes nothing promised, but how a file looks or how a slip is told."""
    keyword = getattr(node, "keyword", None)
    return keyword is not None and keyword.value in ("strict", "encoding", "indent", "hint")


def code_of(mutant: Mutant) -> CodeType | None:
    """The code of the changed function; None for a bug that is no Python."""
    try:
        todo: list[CodeType] = [compile(mutant.text, str(SOURCE / mutant.file), "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return None
    while todo:
        code = todo.pop()
        if code.co_qualname == mutant.function:
            return code
        todo += [one for one in code.co_consts if isinstance(one, CodeType)]
    return None
