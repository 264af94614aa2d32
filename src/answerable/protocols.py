"""What parts promise, in one place: inherit one of these and hand the object to `answerable.open` or `attach`.

Each has its contract in `answerable.testing`. `Linker` and `PairReranker` say what some can do besides.
"""

from answerable.encoders.encoder import Encoder, Linker, Passages, Vectors
from answerable.indexes.index import Ranking, SearchMode
from answerable.indexes.sources import SearchableEnclave
from answerable.qapairs.generation.parts import Extracted, Generated, Generator
from answerable.qapairs.lookup import Matcher, PairReranker
from answerable.readers.reader import Reader
from answerable.selective.calibrate import Calibration
from answerable.sets.judge import Judge
from answerable.types import Candidate, Chain, Passage, Skill

__all__ = ["Encoder", "Generator", "Judge", "Linker", "Matcher", "PairReranker", "Reader"]
__all__ += ["Calibration", "Candidate", "Chain", "Extracted", "Generated", "Passage", "Passages", "Ranking"]
__all__ += ["SearchMode", "SearchableEnclave", "Skill", "Vectors"]
