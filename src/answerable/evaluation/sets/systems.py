"""What finds the set of a query: retrievers, the paper's classifier and ours promise the same.

Here the retrievers, `Workspace.find`, and the documents that it would judge; `classifying` has the classifier."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from answerable.encoders.choose import encoder_folder
from answerable.encoders.constraints import FIT
from answerable.encoders.shipped import open_shipped
from answerable.engine import OWNER
from answerable.errors import UsageError
from answerable.evaluation.names import Understood
from answerable.evaluation.tasks.asking import models_of
from answerable.evaluation.tasks.task import System
from answerable.indexes.index import Mode
from answerable.privacy.flow import first_query
from answerable.sets.candidates import gather
from answerable.sets.expression import Atom, Expression
from answerable.sets.parsing.parser import Parser
from answerable.text import checked_question
from answerable.types import Hit, Skill
from answerable.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a system gives to a query, in ids of the workspace.

    `ranking`: documents, best first, each once. `chosen`: the set, best first; None from a system that only ranks.
    `judged`: the probability (0 to 1) of documents it looked at, best first, where it has any. `expression`: how it
    understood the query, where it tells. `expected`: how many documents it reckons with. `parts`: seconds by part.
    """

    ranking: tuple[str, ...]
    chosen: tuple[str, ...] | None = None
    judged: tuple[tuple[str, float], ...] = ()
    expression: Expression | None = None
    expected: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """All parts together."""
        return sum(self.parts.values())


class SetSystem(System):
    """Finds sets. `gives`: whether it gives sets, and not only rankings."""

    gives: bool = False

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        """Find the set of one query. `meant`: what it asks for, from a system that is told (`expression data`).

        Raises `UsageError` for a query that cannot be asked.
        """
        raise NotImplementedError


class Finding(SetSystem):
    """`Workspace.find`. Its seconds are those of its searches, and the rest."""

    name = "find"
    gives = True

    def __init__(self, workspace: Workspace, understood: Understood, evidence: bool) -> None:
        self._workspace, self._understood, self._evidence = workspace, understood, evidence
        given = workspace.settings
        how = {**asdict(given.find), "mode": given.search.mode, "evidence": evidence}
        self.settings = {"expression": understood.value, **how}
        judge = given.own.name("judge") or judge_name(given.models.judge)
        self.models = {"encoder": models_of(workspace)["encoder"], "judge": judge}

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        """See `SetSystem`. Raises `UsageError` where it is to be told what the query means, and nobody tells."""
        expression = given_expression(self._understood, query, meant)
        found = self._workspace.find(query, expression, evidence=self._evidence).found
        chosen = tuple(dict.fromkeys(member.document for member in found.members))
        judged = tuple((member.document, member.probability) for member in found.members)
        searching = sum(hop.seconds for hop in found.hops)
        parts = {"search": searching, "rest": max(0.0, found.seconds - searching)}
        return Proposed(chosen, chosen, judged, found.expression, found.expected, parts)


def given_expression(understood: Understood, query: str, meant: Expression | None) -> Expression | None:
    """The expression to go by, None to parse the query. Raises `UsageError` where the data is to tell, and does not."""
    if understood is Understood.DATA and meant is None:
        raise UsageError("the data does not say what this query asks for", hint="--expression parsed")
    return {Understood.DATA: meant, Understood.WHOLE: Atom(" ".join(query.split())), Understood.PARSED: None}[
        understood
    ]


MOST = 1000
"""So many documents are ranked: as far as the paper's table 4 looks."""
_PASSAGES = 2  # passages asked for, for each document wanted, at first


@dataclass(frozen=True, slots=True)
class Ranked:
    """Documents, each at the best of its passages, best first; and the seconds that the search took."""

    hits: tuple[Hit, ...]
    seconds: float


class Candidates:
    """Ranks the documents of a workspace for a query as it stands, in any mode, under its privacy.

    Remembers what it said to the last query, so that systems asked the same one after another search once.
    """

    def __init__(self, workspace: Workspace) -> None:
        engine = workspace.engine()
        self._retriever, self._taught = engine.retriever.under(workspace.settings.ask.privacy), engine.taught
        self.document = engine.find
        self._last: dict[tuple[str, Mode, int], Ranked] = {}
        self.encoder = engine.retriever.encoder.name

    def ranked(self, query: str, mode: Mode, most: int) -> Ranked:
        """The `most` best documents: more and more passages are asked for until there are as many, or no more.

        Raises `UsageError` for a query that cannot be asked, as `Engine.ask` does.
        """
        key = (query, mode, most)
        if not any(query == asked for asked, _, _ in self._last):
            self._last.clear()
        if key not in self._last:
            self._last[key] = self._search(query, mode, most)
        return self._last[key]

    def _search(self, text: str, mode: Mode, most: int) -> Ranked:
        began = time.perf_counter()
        door = replace(self._retriever, settings=replace(self._retriever.settings, mode=mode), modes={}).remembering()
        asked = first_query(checked_question(text), OWNER, door.privacy, door.enclaves)
        query, wanted = self._taught.asked(asked, door.enclaves), _PASSAGES * most
        while True:
            hops = door.search(query, Skill.SINGLE, wanted)
            hits = sorted((hit for hop in hops for hit in hop.hits), key=lambda hit: (-hit.score, hit.passage.id))
            best: dict[tuple[str, str], Hit] = {}
            for hit in hits:
                best.setdefault((hit.passage.enclave, hit.passage.document_id), hit)
            if len(best) >= most or all(len(hop.hits) < wanted for hop in hops):
                return Ranked(tuple(best.values())[:most], time.perf_counter() - began)
            wanted *= 2


class Retrieving(SetSystem):
    """A retriever alone: it ranks, and gives no set (the paper's table 4)."""

    def __init__(self, name: str, candidates: Candidates, mode: Mode, most: int = MOST) -> None:
        self.name = name
        self._candidates, self._mode, self._most = candidates, mode, most
        self.settings = {"mode": mode, "documents": most}
        self.models = {} if mode == "lexical" else {"encoder": candidates.encoder}

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        """See the class."""
        found = self._candidates.ranked(query, self._mode, self._most)
        return Proposed(tuple(hit.passage.document_id for hit in found.hits), parts={"search": found.seconds})


_SETTINGS = ("whole", "each")


class Gathering(SetSystem):
    """`sets.candidates` alone: it ranks, and gives no set. Beside the retrievers it shows what taking apart finds."""

    name = "candidates"

    def __init__(self, workspace: Workspace, understood: Understood) -> None:
        engine, given = workspace.engine(), workspace.settings
        self._door, self._taught = engine.retriever.under(given.ask.privacy), engine.taught
        self._parse, self._understood, self._how = Parser.open().parse, understood, given.find
        used = {name: value for name, value in asdict(given.find).items() if name in _SETTINGS}
        self.settings = {
            "expression": understood.value,
            "mode": engine.retriever.settings.mode,
            **used,
        }
        self.models = {"encoder": engine.retriever.encoder.name}

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        """See `SetSystem`."""
        began = time.perf_counter()
        given = given_expression(self._understood, query, meant)
        expression = self._parse(query)[0].expression if given is None else given
        parsed = time.perf_counter()
        door, table = self._door, self._door.enclaves
        asked = self._taught.asked(first_query(checked_question(query), OWNER, door.privacy, table), table)
        found = [one for part in gather(asked, expression, door, self._how) for one in part.prospects]
        ids = tuple(dict.fromkeys(one.document for one in found))
        parts = {"parse": parsed - began, "search": time.perf_counter() - parsed}
        return Proposed(ids, expression=expression, parts=parts)


def judge_name(name: str) -> str:
    """What identifies the weights of a judge, without opening them. Raises as `open_shipped` does."""
    folder = encoder_folder(name)
    if not folder.is_dir():
        return name  # without weights; or it is not there, as whoever opens it says
    shipped = open_shipped(folder)
    return str(shipped.about.get(FIT, {}).get("name", shipped.name))
