"""Models of a few thousand weights as Hugging Face keeps them, made here, that know a list of words."""

import json
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]


def write_bert(folder: Path, head: str, words: Iterable[str], family: str = "bert", **shape: object) -> Path:
    """A BERT or a RoBERTa of two layers with a head of transformers, `BertModel` or the like, and its tokenizer."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    marks = SPECIAL if family == "roberta" else ["[CLS]", "[PAD]", "[SEP]", "[UNK]"]
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys([*marks, *words]))}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token=marks[3]))
    made.normalizer, made.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    first, _, last, _ = marks
    middle, of = (f"{last} {last}", "") if family == "roberta" else (last, ":1")
    made.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=f"{first} $A {middle} $B{of} {last}{of}",
        special_tokens=[(first, 0), (last, 2)],
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token=marks[1], cls_token=first, sep_token=last, unk_token=marks[3]
    ).save_pretrained(folder)
    torch.manual_seed(3)
    name = {"bert": "Bert", "roberta": "Roberta"}[family]
    config = getattr(transformers, f"{name}Config")(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=130, type_vocab_size=1 if family == "roberta" else 2, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, initializer_range=0.5, hidden_dropout_prob=0.0, **shape,
    )  # fmt: skip
    getattr(transformers, f"{name}{head}")(config).save_pretrained(folder)
    return folder


def write_sentences(folder: Path, words: Iterable[str], pooling: str = "mean_tokens", **told: object) -> Path:
    """A bi-encoder as sentence-transformers keeps it; `told` is in `config_sentence_transformers.json`."""
    write_bert(folder, "Model", words)
    kinds = (("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize"))
    modules = [{"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.models.{kind}"}
               for n, (kind, path) in enumerate(kinds)]  # fmt: skip
    (folder / "1_Pooling").mkdir()
    for file, text in (
        ("modules.json", modules),
        ("1_Pooling/config.json", {"word_embedding_dimension": 32, f"pooling_mode_{pooling}": True}),
        ("sentence_bert_config.json", {"max_seq_length": 64, "do_lower_case": False}),
        ("config_sentence_transformers.json", told),
    ):
        (folder / file).write_text(json.dumps(text), encoding="utf8")
    return folder


def write_graph(folder: Path, head: str, inputs: Iterable[str], outputs: Iterable[str]) -> Path:
    """The network of a folder as `onnx/model.onnx` in its place, its weights gone."""
    import torch
    import transformers

    model = getattr(transformers, head).from_pretrained(folder).eval()
    model.config.return_dict = False
    names, given = [*inputs], [*outputs]
    axes = {name: {0: "rows", 1: "tokens"} for name in names} | {name: {0: "rows", 1: "more"} for name in given}
    (folder / "onnx").mkdir()

    class Named(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *arrays: Any) -> Any:
            return self.model(**dict(zip(names, arrays, strict=True)))[: len(given)]

    with warnings.catch_warnings():  # the tracer warns of sizes that are constants of the model anyway
        warnings.simplefilter("ignore")
        torch.onnx.export(Named(), tuple(torch.ones(2, 9, dtype=torch.long) for _ in names),
                          str(folder / "onnx" / "model.onnx"), input_names=names, output_names=given,
                          dynamic_axes=axes, opset_version=17, dynamo=False)  # fmt: skip
    (folder / "model.safetensors").unlink()
    return folder
