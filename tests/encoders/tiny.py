"""A BART and a T5 of a few thousand weights, made here, that know a list of words."""

from collections.abc import Iterable
from pathlib import Path

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
FAMILIES = ("bart", "t5")


def write_tiny(folder: Path, family: str, words: Iterable[str], seed: int = 3) -> Path:
    """Model and tokenizer of whole words and marks, as Hugging Face keeps them."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import (
        BartConfig,
        BartForConditionalGeneration,
        PreTrainedTokenizerFast,
        T5Config,
        T5ForConditionalGeneration,
    )

    vocabulary = {word: number for number, word in enumerate(dict.fromkeys([*SPECIAL, *words]))}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    first = "<s> " if family == "bart" else ""
    known = [("<s>", 0), ("</s>", 2)]
    made.post_processor = processors.TemplateProcessing(single=f"{first}$A </s>", special_tokens=known)
    PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    ids = {"pad_token_id": 1, "eos_token_id": 2, "vocab_size": len(vocabulary)}
    if family == "bart":
        shape = BartConfig(
            d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4,
            encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=512, dropout=0.0, bos_token_id=0,
            decoder_start_token_id=2, forced_eos_token_id=None, init_std=0.2, **ids,
        )  # fmt: skip
        model = BartForConditionalGeneration(shape)
    else:
        shape = T5Config(
            d_model=32, d_kv=8, d_ff=64, num_layers=1, num_heads=4, dropout_rate=0.0, decoder_start_token_id=1, **ids,
        )  # fmt: skip
        model = T5ForConditionalGeneration(shape)
    model.save_pretrained(folder)
    return folder
