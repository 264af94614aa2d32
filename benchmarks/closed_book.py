"""A closed book small enough to be learned here, from nothing: what pairs add, by what training had of a question.

    python benchmarks/closed_book.py --data DATA --workspace DIR [--limit 300] [--json FILE]

Makes a BART of random weights, two layers to read and one to write, 128 wide, with a vocabulary of 4,000 pieces of the
training questions, and trains it by the settings of `recipes/closed-book.toml` at that size: on NQ's training questions
alone; on these and on pairs, in whose place SQuAD's training questions stand; and further, on NQ's alone. Each is then
asked questions of NQ-open. Trained again with the same folder, it goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import common
from answerable.datasets.load import load
from answerable.encoders.choose import open_encoder
from answerable.evaluation.qapairs.overlap import CUT, measured, overlaps
from answerable.evaluation.tasks.data import Data
from answerable.qapairs.closed_book import ClosedBook, closed_text

NQ, PAIRS, TESTED = "nq/nq-train.json.gz", "squad/squad-train-part.json.gz", "nq/nq-open-dev.jsonl"
PIECES, WIDTH, SEED = 4000, 128, 32
RUNS: dict[str, dict[str, Any]] = {
    "nq": {"pairs": [], "epochs": [0, 6]},
    "nq and pairs": {"epochs": [4, 0]},
    "then nq": {"epochs": [4, 4]},
}
"""What differs in how each is trained, by its name in the results."""


def start(texts: Iterator[str], folder: Path) -> Path:
    """A BART of random weights and a tokenizer of the most frequent pieces of texts, as Hugging Face keeps them."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    made.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=PIECES, special_tokens=special, show_progress=False))
    ends = [("<s>", 0), ("</s>", 2)]
    made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    torch.manual_seed(SEED)
    shape = BartConfig(
        vocab_size=made.get_vocab_size(), d_model=WIDTH, encoder_layers=2, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=2 * WIDTH, decoder_ffn_dim=2 * WIDTH, max_position_embeddings=96,
        dropout=0.0, init_std=0.05, decoder_start_token_id=2, forced_eos_token_id=None,
    )  # fmt: skip
    BartForConditionalGeneration(shape).save_pretrained(folder)
    return folder


def texts(data: Path) -> Iterator[str]:
    """Every training question and answer."""
    for name in (NQ, PAIRS):
        for one in load(data / name):
            yield closed_text(one.question)
            yield from one.answers[:1]


def pairs(data: Path, file: Path) -> None:
    """Write the questions that stand for pairs, as pairs are exported."""
    rows = ({"question": one.question, "answer": list(one.answers)} for one in load(data / PAIRS) if one.answers)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")


def recipe(out: Path, how: dict[str, Any], threads: int) -> dict[str, Any]:
    """That of `recipes/closed-book.toml`, at the size of a few minutes."""
    loop = {"rate": 1e-3, "tokens": 8192, "warmup": 0.06, "seed": SEED, "evaluate_steps": 200, "patience": 4}
    small = {
        "kind": "closed-book",
        "start": str(out / "start"),
        "threads": threads,
        "tokens": 48,
        "said": 16,
        "batch": 64,
    }
    files = {"training": [NQ], "pairs": [str(out.resolve() / "pairs.jsonl")]}
    return {**small, **files, "judged": 200, **how, "loop": loop}


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = common.parser(__doc__, "data", "workspace", limit=300)
    parser.add_argument("--threads", type=int, default=1)
    return parser


def main(words: list[str] | None = None) -> None:
    """Train what is not trained, ask, and print a table."""
    from answerable.training.seq2seq.draw import ClosedBookRecipe
    from answerable.training.seq2seq.train import train_seq2seq

    given = arguments().parse_args(words)
    if not (given.workspace / "start" / "config.json").is_file():
        start(texts(given.data), given.workspace / "start")
    pairs(given.data, given.workspace / "pairs.jsonl")
    encoder = open_encoder("minilm", given.threads)
    tested = list(Data(given.data / TESTED, None, given.limit).survey().examples())
    trained = [one for one in load(given.data / NQ) if one.answers]
    splits = overlaps(tested, trained, lambda asked: encoder.encode_passages([("", one) for one in asked]))
    told: dict[str, Any] = {"questions": len(tested), "trained": len(trained), "cut": CUT}
    for name, how in RUNS.items():
        folder, began = given.workspace / name.replace(" ", "-"), time.process_time()
        if name == "then nq":  # its first stage is the whole of the run before
            _go_on_from(given.workspace / "nq-and-pairs" / "first", folder / "first")
        asked = ClosedBookRecipe.of(recipe(given.workspace, how, given.threads))
        made = train_seq2seq(asked, given.data, folder)
        spent = time.process_time() - began
        told[name] = {**measured(tested, splits, ClosedBook(str(made.folder), given.threads).answer), "seconds": spent}
        shares = [(one, told[name][one]) for one in ("total", *dict.fromkeys(split.value for split in splits))]
        print(name, *(f"{one} {100 * each['EM']:.1f} of {each['questions']}" for one, each in shares), sep="  ")
    common.write(given.json, told)


def _go_on_from(done: Path, folder: Path) -> None:
    if not folder.is_dir():
        shutil.copytree(done, folder)


if __name__ == "__main__":
    main()
