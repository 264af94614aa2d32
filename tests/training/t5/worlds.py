"""A T5 of a few thousand weights, made here; a folder of queries and documents to train it on."""

from pathlib import Path

from tests.evaluation.sets.worlds import THINGS, documents, queries

WORDS = sorted({word.strip(".") for text in THINGS.values() for word in text.split()})
SPECIAL = ["<pad>", "</s>", "<unk>"]


def write_t5(folder: Path) -> Path:
    """Model and tokenizer of whole words, as Hugging Face keeps them."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    known = [*SPECIAL, *WORDS, "red", "things", "balls", "cubes", "that", "are", "not", "relevant", "query", "document"]
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(known))}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=512
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(3)
    shape = T5Config(
        vocab_size=len(vocabulary), d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0,
        feed_forward_proj="gated-gelu", decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    T5ForConditionalGeneration(shape).save_pretrained(folder)
    return folder


def write_data(folder: Path) -> Path:
    """As `answerable benchmark sets build` leaves it."""
    folder.mkdir()
    documents(folder / "documents.jsonl.gz")
    for name in ("train.jsonl", "val.jsonl"):
        queries(folder / name)
    return folder
