"""What models were taught: a model that was trained on private text carries the label of that text, as a passage does.

Its manifest says so. A query is made by the encoder, as a vector and by what was found before, so it carries the
encoder's label from the first hop on; an answer carries the reader's too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from answerable.errors import EnclaveError, UsageError
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.flow import readable
from answerable.types import PUBLIC, Asker, Enclave, Label, Query

_OTHERS = "name other models under [models]"


@dataclass(frozen=True, slots=True)
class TrainingProvenance:
    """The private enclaves on whose text the encoder was trained, and the reader.

    `elsewhere`: the parts that hand what they are shown to another machine, each with its name.
    """

    encoder: Label = PUBLIC
    reader: Label = PUBLIC
    elsewhere: tuple[tuple[str, str], ...] = ()

    def asked(self, query: Query, enclaves: EnclaveTable) -> Query:
        """The first query of an ask, with the label of the encoder that makes it.

        Raises `UsageError` when the asker may not read all that a model was trained on, and `EnclaveError` when it is
        of no enclave here; `UsageError` as `check_shown`, for the question and all that may be found.
        """
        self.check(query.asker, enclaves)
        found = (one.label for one in enclaves.values() if readable(query.asker, one).allowed)
        self.check_shown(query.label.union(*found))
        return replace(query, label=query.label | self.encoder)

    def check_shown(self, label: Label) -> None:
        """Raise `UsageError` where private text of this label would be handed to another machine."""
        for part, host in self.elsewhere if label else ():
            what = f"the {part} hands what it is shown to {host}, and may not be shown {', '.join(sorted(label))}"
            raise UsageError(what, hint="use it where all is public, or a part that keeps to this machine")

    def check_served(self, enclave: Enclave) -> None:
        """Raise `UsageError` when what an enclave's server finds would tell others of another enclave's text."""
        self.check_shown(enclave.label)
        for word in sorted(self.encoder - enclave.label):
            what = f"the encoder was trained on text of {word}, of which those who search {enclave.name} would learn"
            raise UsageError(what, hint=_OTHERS)

    def check(self, asker: Asker, enclaves: EnclaveTable) -> None:
        """Raise `UsageError` when the asker may not read all that a model was trained on, `EnclaveError` as `asked`."""
        for word in sorted(self.encoder | self.reader):
            if word not in enclaves:
                raise EnclaveError(
                    f"a model was trained on text of {word!r}, which is no enclave here",
                    hint=f"declare it as a private enclave, or {_OTHERS}",
                )
            if asker.clearance is not None and word not in asker.clearance:
                what = f"a model was trained on text of {word}, which {asker.name} may not read"
                raise UsageError(what, hint=_OTHERS)


PUBLIC_TRAINING = TrainingProvenance()
"""Of models that learned from public text alone."""
