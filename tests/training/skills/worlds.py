"""A small model and tokenizer, and a folder of data in the forms of the real ones: every text here was written here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from answerable.encoders.modular import ModularTrunk, SkillModel, SkillShape
from answerable.encoders.trunk import TrunkShape
from tests.training.files import write_lines

WORDS = """
who lit the first lamp of skerryvore and when was it built by a man from edinburgh glass ships island pier keeper tower
stone rock coast scotland harbour north south east west year wall door oil boat storm bell book page name place town
alan stevenson robert chance brothers birmingham tiree ross mull dubh artach bell inchcape curlew wader bird bill long
bent nests heath in on is are an with for to lighthouse made lenses designed of at its 1844 1848
. , ? : ; ' ( ) - #
""".split()
LETTERS = [*"abcdefghijklmnopqrstuvwxyz0123456789"]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *dict.fromkeys([*WORDS, *LETTERS, *(f"##{c}" for c in LETTERS)])]
SMALL = TrunkShape(vocabulary=len(VOCABULARY), width=32, layers=1, heads=4, inner=64, positions=72)


def write_tokenizer(path: Path, vocabulary: Sequence[str] = VOCABULARY) -> Path:
    """A tokenizer.json with a few words and every letter."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    path.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(path))
    return path


def small_model(how: SkillShape | None = None, seed: int = 5) -> SkillModel:
    """Random weights."""
    torch.manual_seed(seed)
    return SkillModel(ModularTrunk(SMALL, how or SkillShape())).eval()


def write_bert(folder: Path, seed: int = 5, shape: TrunkShape = SMALL, vocabulary: Sequence[str] = VOCABULARY) -> Path:
    """A folder of Hugging Face's form with random weights."""
    from safetensors.torch import save_file

    from answerable.encoders.trunk import _LAYER_NAMES, _NAMES, Trunk

    torch.manual_seed(seed)
    state = Trunk(shape).state_dict()
    pairs = [*_NAMES]
    pairs += [(f"layers.{i}.{a}", f"encoder.layer.{i}.{b}") for i in range(shape.layers) for a, b in _LAYER_NAMES]
    theirs = {f"{b}.{x}": state[f"{a}.{x}"] for a, b in pairs for x in ("weight", "bias") if f"{a}.{x}" in state}
    write_tokenizer(folder / "tokenizer.json", vocabulary)
    save_file(theirs, folder / "model.safetensors")
    config: dict[str, Any] = {"model_type": "bert", "hidden_act": "gelu", "vocab_size": shape.vocabulary}
    config |= {"hidden_size": shape.width, "num_hidden_layers": shape.layers, "num_attention_heads": shape.heads}
    config |= {"intermediate_size": shape.inner, "max_position_embeddings": shape.positions}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf8")
    return folder


TOWERS = [
    f"Tower {name}" for name in ("Skerryvore", "Tiree", "Mull", "Ross", "Inchcape", "Dubh Artach", "Harbour", "Pier")
]


def write_data(folder: Path) -> Path:
    """A folder of training data: 40 pages, their tables, and questions over them."""
    pages = []
    for number in range(40):
        name = f"{TOWERS[number % 8]} {number}"
        other = f"{TOWERS[(number + 3) % 8]} {(number + 3) % 40}"
        text = f"{name} is a lighthouse on the coast of Scotland. Its lamp was lit in {1800 + number} by the keeper of "
        text += f"{other}, a stone tower with a long wall. " + "The oil of the boat was made of glass and stone. " * 2
        pages.append({"_id": f"/wiki/{number}", "title": name, "text": text})
    write_lines(folder / "wiki/passages.jsonl.gz", pages)
    pool = [{**page, "_id": f"p{i}", "title": f"{page['title']} North"} for i, page in enumerate(pages)]
    pool = [{**page, "text": page["text"].replace(" is a", " North is a")} for page in pool]
    write_lines(folder / "multihop/passages.jsonl.gz", pool)
    tables, asked = [], []
    for number in range(24):
        links = [(number * 3 + i) % 40 for i in range(3)]
        rows = [
            [{"text": str(1800 + i), "links": []}, {"text": pages[i]["title"], "links": [pages[i]["_id"]]}]
            for i in links
        ]
        title = f"List {number} of towers"
        about = {"section": "Lamps -- Lit", "section_text": "", "intro": f"{title} are on the coast.", "url": ""}
        tables.append({"_id": f"t{number}", "title": title, **about, "header": ["Year", "Tower"], "rows": rows})
        evidence = [{"cell": "", "row": 1, "column": 1, "passage": pages[links[1]]["_id"], "where": "passage"}]
        question = f"Who lit the tower of list {number}?"
        asked.append({"_id": f"q{number}", "question": question, "answer": "the keeper", "table": f"t{number}"})
        asked[-1]["evidence"] = evidence
    write_lines(folder / "wiki/tables.jsonl.gz", tables)
    for source in ("ottqa", "hybridqa"):
        write_lines(folder / source / "questions.jsonl", asked)
    hops = []
    for number in range(30):
        first, second = pool[number], pool[(number + 3) % 40]
        row: dict[str, Any] = {"_id": f"h{number}", "question": f"When was the keeper of {first['title']} lit?"}
        row |= {"answer": str(1800 + (number + 3) % 40), "type": "bridge", "covered": True}
        row |= {"supporting": [[first["title"], 0], [second["title"], 0]], "gold": [second["_id"], first["_id"]]}
        hops.append(row | {"context": [p["_id"] for p in pool[number : number + 6]]})
    for source in ("hotpotqa", "2wikimultihopqa", "musique"):
        write_lines(folder / source / "train.jsonl", hops)
        write_lines(folder / source / "dev.jsonl", hops[:3])
    return folder
