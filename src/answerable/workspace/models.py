"""Which models a workspace uses: those that were handed in, or else by the names in its settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from answerable.encoders.choose import HASHED, SHIPPED, SKILLS, encoder_folder, open_encoder
from answerable.encoders.pretrained import is_pretrained, local_folder
from answerable.encoders.shipped import open_shipped, taught_label
from answerable.errors import UsageError
from answerable.privacy.provenance import TrainingProvenance
from answerable.qapairs.lookup import Matcher, PairReranker
from answerable.readers.reader import Reader
from answerable.remote.host import LLM
from answerable.selective.calibrate import Calibration
from answerable.selective.missing import FILE, Predictor
from answerable.selective.quoted import QUOTED
from answerable.types import PUBLIC, Label
from answerable.workspace.fitted import fitted_file, fitted_label
from answerable.workspace.opened import OpenedDecider, OpenedRanker, OpenedVerifier
from answerable.workspace.parts import AT_ITS_WORD, KINDS
from answerable.workspace.settings import Settings

if TYPE_CHECKING:
    from answerable.documents.reader import Guide
    from answerable.documents.weights import WalkWeights
    from answerable.encoders.encoder import Decides, Encoder, Navigator
    from answerable.qapairs.verify import Verifier
    from answerable.readers.asked import AskedReader
    from answerable.sets.judge import Judge

SPAN, OVERLAP, READER = "span", "overlap", "reader"
STAND_IN = Calibration((40.0,), -20.0, 0.5, "nothing: half of the question's words")
"""For the stand-in reader, whose score is the share of the question's words in the sentence, less one half."""


def encoder_of(settings: Settings) -> Encoder:
    """The encoder that was handed in, or else as `open_encoder`."""
    own, models = settings.own.encoder, settings.models
    return open_encoder(models.encoder, models.threads) if own is None else own


def reader_of(settings: Settings) -> tuple[Reader, Calibration]:
    """The reader that was handed in, or else as `open_reader`; with the calibration that was, or was fitted here."""
    own, calibration = settings.own, AT_ITS_WORD
    if own.reader is None:
        reader, calibration = open_reader(settings.reader, settings.models.threads)
    else:
        reader = own.reader
    return reader, own.calibration or _fitted(settings, reader.name) or calibration


def called(settings: Settings) -> str:
    """What a calibration of the language model is kept under."""
    return f"{LLM} {settings.llm.model}"


def _fitted(settings: Settings, name: str) -> Calibration | None:
    kept = fitted_file(settings.folder, name) if settings.folder else None
    return Calibration.load(kept) if kept and kept.is_file() else None


def asked_of(settings: Settings) -> tuple[AskedReader | None, Calibration]:
    """The language model that answers, where `models.reader` is `llm`; and how sure its answers are: as was fitted here
    to the one that is named, or by hand.

    Raises `UsageError` for what cannot be used.
    """
    given = settings.llm
    if not settings.asks:
        return None, QUOTED
    from answerable.readers.asked import AskedReader

    reader = AskedReader(given.chat("models.reader is llm"), given.enclave, given.where, given.context)
    return reader, _fitted(settings, called(settings)) or QUOTED


def predictor_of(settings: Settings) -> Predictor | None:
    """What tells whether a missing answer may lie behind a refused search, by what is known of the reader.

    None for a stand-in, one that was handed in, a folder without one, and where a language model answers. Raises
    `ModelError` for one that is damaged.
    """
    name = settings.reader
    if name == OVERLAP or settings.own.reader is not None or settings.asks:
        return None
    path = reader_folder(name) / FILE
    return Predictor.load(path) if path.is_file() else None


def judge_of(settings: Settings) -> Judge:
    """The judge that was handed in, or else as `open_judge`."""
    own, models = settings.own.judge, settings.models
    return open_judge(models.judge, models.threads) if own is None else own


def matcher_of(settings: Settings) -> tuple[Matcher, PairReranker | None]:
    """The matcher that was handed in, which may rerank too, or else as `open_matcher`."""
    own = settings.own.matcher
    if own is not None:
        return own, own if isinstance(own, PairReranker) else None
    return open_matcher(settings.models.matcher, settings.models.threads)


def verifier_of(settings: Settings) -> Verifier:
    """As `open_verifier`, for the matcher that was set; beside one that was handed in, the test that ships."""
    models = settings.models
    return open_verifier(models.matcher if settings.own.matcher is None else SKILLS, models.threads)


def open_verifier(matcher: str = SKILLS, threads: int = 0) -> Verifier:
    """What tells whether two questions ask the same: the test in the matcher's folder, or where that has none the one
    that ships; the stand-in beside a matcher without weights. Raises `ModelError` when it is missing or damaged.
    """
    from answerable.encoders.sameness import QuestionTest
    from answerable.qapairs.verify import by_words, learned

    if matcher == HASHED:
        return by_words
    own = open_shipped(encoder_folder(matcher))
    return learned(QuestionTest(own if QuestionTest.within(own) else open_shipped(encoder_folder(SKILLS)), threads))


def same_question(settings: Settings) -> OpenedVerifier:
    """Whether two questions ask the same, by the test that ships, or the stand-in beside a reader without weights."""
    which = HASHED if settings.reader == OVERLAP else SKILLS
    return OpenedVerifier(lambda: open_verifier(which, settings.models.threads))


def open_reader(name: str, threads: int = 0) -> tuple[Reader, Calibration]:
    """The reader called `name` with its calibration.

    `span`; `overlap` (needs no weights); an exported folder; or an extractive reader of Hugging
    Face, by its folder or `hf:` and its name, which is taken at its word. Raises `UsageError` for an unknown name and
    `ModelError` when the weights or the calibration are missing or damaged.
    """
    if name == OVERLAP:
        from answerable.readers.overlap import OverlapReader

        return OverlapReader(), STAND_IN
    if is_pretrained(name):
        from answerable.readers.extractive import ExtractiveReader

        return ExtractiveReader(name, threads), AT_ITS_WORD
    folder = _there("reader", name, reader_folder(name), SPAN, OVERLAP, LLM, "hf:NAME")
    from answerable.readers.span import SpanReader

    shipped = open_shipped(folder)
    digest = str(shipped.about.get("adapted", ""))
    reader = SpanReader(shipped.file("model.onnx"), shipped.file("tokenizer.json"), threads, digest)
    return reader, Calibration.load(shipped.folder / "calibration.json")


def open_plain_reader(settings: Settings) -> tuple[Reader, Calibration]:
    """The reader of what walks long documents and finds sets: the span reader, or the stand-in where that is set; with
    its calibration.

    Raises `ModelError` when the weights or the calibration are missing or damaged.
    """
    return open_reader(OVERLAP if settings.reader == OVERLAP else SPAN, settings.models.threads)


def open_guide(settings: Settings) -> tuple[Guide, Calibration]:
    """What reads single documents, with the reader of what it finds and the calibration of that.

    Raises `UsageError` for an unknown name, `ModelError` when the weights are missing, damaged or do not walk.
    """
    from answerable.documents.reader import Guide
    from answerable.encoders.hashed import HashedNavigator

    models = settings.models
    reader, calibration = open_plain_reader(settings)
    navigator, weights = open_navigator(models.navigator, models.threads)
    reranks = settings.read.rerank and not isinstance(navigator, HashedNavigator)
    ranker = OpenedRanker(models.threads) if reranks else None
    decider, same = open_decider(models.navigator, models.threads), same_question(settings)
    return Guide(navigator, weights, reader, settings.read, ranker=ranker, decider=decider, same=same), calibration


def open_decider(navigator: str, threads: int = 0) -> Decides | None:
    """What decides questions for yes or no, in the navigator's folder, or where that has none the one that ships; None
    beside a navigator without weights."""
    if navigator == HASHED:
        return None

    def opened() -> Decides:
        from answerable.encoders.deciding import Decider

        own = open_shipped(encoder_folder(navigator))
        return Decider(own if Decider.within(own) else open_shipped(encoder_folder(SKILLS)), threads)

    return OpenedDecider(opened)


def open_navigator(name: str, threads: int = 0) -> tuple[Navigator, WalkWeights]:
    """The encoder of sentences called `name` and what its walk has learned: `skills`, `hashed`, or a folder.

    Raises `UsageError` for an unknown name, `ModelError` when the weights are missing, damaged or do not walk.
    """
    from answerable.documents.weights import open_weights, plain_weights

    if name == HASHED:
        from answerable.encoders.hashed import HashedNavigator

        stand_in = HashedNavigator()
        return stand_in, plain_weights(stand_in.dimension)
    from answerable.encoders.sentences import WALK, SentenceEncoder

    shipped = open_shipped(_there("navigator", name, encoder_folder(name), SKILLS, HASHED))
    encoder = SentenceEncoder(shipped, threads)
    return encoder, open_weights(shipped.file(WALK))


def open_judge(name: str, threads: int = 0) -> Judge:
    """What judges whether documents fit the constraints of a set: `skills`, `overlap` (needs no weights), or a folder.

    Raises `UsageError` for an unknown name, `ModelError` when the weights are missing, damaged or judge nothing.
    """
    if name == OVERLAP:
        from answerable.sets.overlap import OverlapJudge

        return OverlapJudge()
    from answerable.encoders.constraints import ConstraintJudge

    return ConstraintJudge(open_shipped(_there("judge", name, encoder_folder(name), SKILLS, OVERLAP)), threads)


def open_matcher(name: str, threads: int = 0) -> tuple[Matcher, PairReranker | None]:
    """What matches questions among pairs, and what reads them together with a pair: `skills`, `hashed` (needs no
    weights), or a folder.

    Raises `UsageError` for an unknown name, `ModelError` when the weights are missing, damaged or match nothing.
    """
    if name == HASHED:
        from answerable.encoders.hashed import HashedMatcher

        stand_in = HashedMatcher()
        return stand_in, stand_in
    from answerable.encoders.questions import QuestionMatcher

    folder = _there("matcher", name, encoder_folder(name), SKILLS, HASHED)
    matcher = QuestionMatcher(open_shipped(folder), threads)
    return matcher, matcher


def model_folders(settings: Settings) -> dict[str, Path | None]:
    """The folder of each model in use; None for a stand-in without weights, and for what was handed in."""
    encoder, reader, navigator = settings.models.encoder, settings.reader, settings.models.navigator
    judge, matcher = settings.models.judge, settings.models.matcher
    named = {
        "encoder": None if encoder == HASHED else encoder_folder(encoder),
        "reader": None if reader == OVERLAP else reader_folder(reader),
        "navigator": None if navigator == HASHED else encoder_folder(navigator),
        "judge": None if judge == OVERLAP else encoder_folder(judge),
        "matcher": None if matcher == HASHED else encoder_folder(matcher),
    }
    return {part: None if getattr(settings.own, part, None) is not None else folder for part, folder in named.items()}


def provenance_of(settings: Settings) -> TrainingProvenance:
    """The labels of the models that an ask uses, by their manifests, or as they say that were handed in."""
    labels = _labels(settings)
    matching = labels["matcher"] if settings.pairs.answer else PUBLIC
    reading = labels["reader"] | fitted_label(settings.folder)
    elsewhere = settings.own.elsewhere("encoder", "reader", "matcher")
    return TrainingProvenance(labels["encoder"], reading | matching, elsewhere)


def finders_provenance(settings: Settings) -> TrainingProvenance:
    """The labels of the models that find sets: of the encoder that searches, and of the judge and the reader."""
    labels, reading = _labels(settings), _plain_readers_label(settings)
    return TrainingProvenance(labels["encoder"], labels["judge"] | reading, settings.own.elsewhere("encoder", "judge"))


def _labels(settings: Settings) -> dict[str, Label]:
    own = {part: settings.own.taught(part) for part in KINDS}
    folders = model_folders(settings).items()
    return own | {part: taught_label(folder) for part, folder in folders if folder is not None}


def _plain_readers_label(settings: Settings) -> Label:
    return PUBLIC if settings.reader == OVERLAP else taught_label(reader_folder(SPAN))


def guides_provenance(settings: Settings) -> TrainingProvenance:
    """The labels of the models that read a long document, by their manifests; nothing is sent, so no encoder's."""
    folder = model_folders(settings)["navigator"]
    reading = _plain_readers_label(settings)
    if folder is not None:  # what ranks pairs, and decides where the folder has nothing that does
        reading |= taught_label(encoder_folder(SKILLS))
    return TrainingProvenance(reader=reading | (PUBLIC if folder is None else taught_label(folder)))


def _there(part: str, name: str, folder: Path, *known: str) -> Path:
    """The folder of a part's model. Raises `UsageError` where it is none."""
    if not folder.is_dir():
        hint = f"models.{part} (ANSWERABLE_MODELS_{part.upper()}) is {', '.join(known)} or the folder of a model"
        raise UsageError(f"there is no {part} {name!r}", hint=hint)
    return folder


def reader_folder(name: str) -> Path:
    """Where the weights of a reader lie that has some."""
    return SHIPPED / READER if name == SPAN else local_folder(name)
