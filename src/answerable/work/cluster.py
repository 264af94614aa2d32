"""Actors of a Ray cluster, each on a machine that was said to be cleared for what it is given.

A machine of the cluster is cleared for the text of an enclave by a resource of Ray's, named when it is started:

    ray start --address HEAD:6379 --resources '{"enclave:mail": 1}'

An actor is placed on a machine by its id, and nowhere else. Ray keeps a block in the memory of the machine that sends
it and of the one that gets it, and may move it to their disks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from importlib import import_module
from typing import Any

from answerable.errors import MissingExtraError, WorkspaceError
from answerable.types import Label
from answerable.work.spread import Answer, Hand, Opener, Worker, own_version

RESOURCE = "enclave:"
"""What the names of such resources begin with; the enclave's follows."""
_PART = 0.0001  # of a resource, for one actor
_MOST = 10_000


class Cluster:
    """A crew (`spread.Crew`) on the machines of a cluster, which is looked for when there is work."""

    def __init__(self, address: str, most: int = 0) -> None:
        """`most`: actors; 0: one a processor. Raises `MissingExtraError`."""
        self.most, self._address, self._begun = most or _MOST, address, False
        self._kind: Any = None
        try:
            self._ray: Any = import_module("ray")
            self._placing: Any = import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        except ImportError:
            raise MissingExtraError("work over a Ray cluster", "cluster") from None
        self._there: Counter[str] = Counter()

    def start(self, label: Label) -> Hand | None:
        """See `Crew`: on the machine that has the fewest for its processors. Raises `WorkspaceError`."""
        if self._kind is None:
            self._join()
        nodes = [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]
        cleared = {node["NodeID"]: (_cleared(node), node["Resources"]["CPU"]) for node in nodes}
        may = {name: cpus for name, (allowed, cpus) in cleared.items() if label <= allowed}
        if not may:
            raise _uncleared(self._address, label)
        name = min(may, key=lambda name: (self._there[name] / may[name], name))
        if self._there[name] >= may[name]:
            return None
        self._there[name] += 1
        words = {f"{RESOURCE}{word}": _PART for word in label}
        placing = self._placing(name, soft=False)
        actor = self._kind.options(resources=words, num_cpus=1, scheduling_strategy=placing, max_restarts=0)
        return Hand([actor.remote(own_version()), None, name], cleared[name][0])

    def send(self, hand: Hand, job: int, opener: Opener[Any, Any], given: Any) -> None:
        """See `Crew`."""
        hand.own[1] = hand.own[0].run.remote(job, opener, given)

    def first(self, busy: Collection[Hand]) -> tuple[Hand, Answer | None]:
        """See `Crew`. Raises `WorkspaceError` where an actor cannot do its work at all."""
        (ready, *_), _ = self._ray.wait([hand.own[1] for hand in busy], num_returns=1)
        hand = next(hand for hand in busy if hand.own[1] == ready)
        try:
            return hand, self._ray.get(ready)
        except self._ray.exceptions.RayTaskError as error:
            what = f"a worker of the cluster at {self._address} cannot begin ({type(error.cause).__name__})"
            hint = "install the same version of answerable, and its extras, on all of its machines"
            raise WorkspaceError(what, hint=hint) from None
        except self._ray.exceptions.RayError:
            return hand, None

    def end(self, hand: Hand) -> None:
        """See `Crew`."""
        self._there[hand.own[2]] -= 1
        self._ray.kill(hand.own[0])

    def close(self) -> None:
        """Leave the cluster, if it was joined here."""
        if self._begun:
            self._ray.shutdown()

    def _join(self) -> None:
        if not self._ray.is_initialized():
            try:
                self._ray.init(address=self._address, log_to_driver=False, logging_level="ERROR")
            except Exception as error:  # it raises what came up on the way there
                what = f"the Ray cluster at {self._address} cannot be reached ({type(error).__name__})"
                raise WorkspaceError(what, hint="check that it runs, work.cluster, and RAY_AUTH_MODE") from None
            self._begun = True
        # What its daemons say of actors that ended would stand among the results of a command.
        import_module("ray._private.worker")._worker_logs_enabled = False  # type: ignore[attr-defined]
        self._kind = self._ray.remote(_Actor)


class _Actor(Worker):
    """A worker that refuses to be of another version."""

    def __init__(self, wanted: str) -> None:
        super().__init__()
        self._wanted = wanted

    def run(self, job: int, opener: Opener[Any, Any], given: Any) -> Answer:
        """As `Worker.run`."""
        if (own := own_version()) == self._wanted:
            return super().run(job, opener, given)
        what = f"a machine of the cluster has answerable {own}, not {self._wanted}"
        return False, "WorkspaceError", what, "install the same version on all of its machines"


def _cleared(node: dict[str, Any]) -> Label:
    """The enclaves whose text a machine may see, beside what is public."""
    return frozenset(name.removeprefix(RESOURCE) for name in node["Resources"] if name.startswith(RESOURCE))


def _uncleared(address: str, label: Label) -> WorkspaceError:
    resources = ", ".join(f'"{RESOURCE}{word}": 1' for word in sorted(label))
    hint = f"start one that is with ray start --resources '{{{resources}}}'" if label else "start one with processors"
    return WorkspaceError(
        f"no machine of the cluster at {address} is cleared for {', '.join(sorted(label)) or 'work'}", hint=hint
    )
