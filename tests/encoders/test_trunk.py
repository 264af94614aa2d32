from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.trunk import _LAYER_NAMES, _NAMES, Trunk, TrunkShape, load_trunk  # noqa: E402
from answerable.errors import ModelError  # noqa: E402
from answerable.training.reading import NONE, SPAN, YES, Encoded  # noqa: E402
from answerable.training.span import SpanReader, collate, reading_loss  # noqa: E402
from answerable.training.start import load_bert  # noqa: E402

SMALL = TrunkShape(vocabulary=60, width=16, layers=2, heads=4, inner=32, positions=40)


def small() -> Trunk:
    torch.manual_seed(2)
    return Trunk(SMALL).eval()


def test_padding_changes_nothing() -> None:
    trunk = small()
    ids = torch.randint(1, 60, (1, 9))
    padded = torch.cat([ids, torch.zeros(1, 6, dtype=torch.long)], 1)
    mask = torch.cat([torch.ones(1, 9), torch.zeros(1, 6)], 1)
    alone = trunk(ids, torch.zeros_like(ids), torch.ones_like(ids))
    beside = trunk(padded, torch.zeros_like(padded), mask)[:, :9]
    assert torch.allclose(alone, beside, atol=1e-5)


def test_attention_is_the_formula_of_the_paper() -> None:
    attention = small().layers[0].attention
    hidden = torch.randn(1, 5, 16)
    q, k, v = (f(hidden).view(5, 4, 4) for f in (attention.query, attention.key, attention.value))
    mixed = torch.stack([(q[:, h] @ k[:, h].T / 2.0).softmax(-1) @ v[:, h] for h in range(4)], 1).reshape(1, 5, 16)
    expected = attention.norm(hidden + attention.output(mixed))
    assert torch.allclose(attention(hidden, torch.zeros(1, 1, 1, 5)), expected, atol=1e-5)


def test_weights_come_back_from_hugging_face_names(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    trunk = small()
    pairs = list(_NAMES) + [(f"layers.{i}.{a}", f"encoder.layer.{i}.{b}") for i in range(2) for a, b in _LAYER_NAMES]
    state = trunk.state_dict()
    theirs = {
        f"bert.{b}.{part}": state[f"{a}.{part}"]
        for a, b in pairs
        for part in ("weight", "bias")
        if f"{a}.{part}" in state
    }
    save_file(theirs, tmp_path / "model.safetensors")
    loaded = load_trunk(tmp_path / "model.safetensors", SMALL)
    assert all(torch.equal(state[name], value) for name, value in loaded.state_dict().items())
    theirs.popitem()
    save_file(theirs, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="lacks 1 tensors"):
        load_trunk(tmp_path / "model.safetensors", SMALL)
    with pytest.raises(ModelError, match="no weights"):
        load_trunk(tmp_path / "absent.safetensors", SMALL)


class Named(torch.nn.Module):
    """A BERT of Hugging Face under the name that its tensors have there."""

    def __init__(self, bert: torch.nn.Module) -> None:
        super().__init__()
        self.bert = bert

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        hidden: torch.Tensor = self.bert(ids).last_hidden_state
        return hidden


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_weights_come_from_a_graph_as_from_the_file_beside_it(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="training needs the extra `train`")
    transformers = pytest.importorskip("transformers", reason="a BERT of others")
    sizes = {"vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 2, "intermediate_size": 32}
    config = transformers.BertConfig(**sizes, num_attention_heads=4, max_position_embeddings=40)
    bert = transformers.BertModel(config, add_pooling_layer=False).eval()
    bert.save_pretrained(tmp_path)
    (tmp_path / "onnx").mkdir()
    ids = torch.ones(1, 5, dtype=torch.long)
    graph = tmp_path / "onnx" / "model.onnx"
    torch.onnx.export(Named(bert), (ids,), graph, dynamo=False)
    whole = load_bert(tmp_path).state_dict()
    (tmp_path / "model.safetensors").unlink()
    loaded = load_bert(tmp_path).state_dict()
    assert whole.keys() == loaded.keys()
    assert all(torch.equal(whole[name], value) for name, value in loaded.items())
    graph.unlink()
    with pytest.raises(ModelError, match=r"model\.safetensors is missing"):
        load_bert(tmp_path)


def test_the_reader_learns_to_point() -> None:
    torch.manual_seed(4)
    model = SpanReader(small())
    batch = [
        Encoded([1, 5, 2, 7, 8, 9, 2], [0, 0, 0, 1, 1, 1, 1], 4, 5, SPAN),
        Encoded([1, 6, 2, 7, 8, 2], [0, 0, 0, 1, 1, 1], 0, 0, NONE),
        Encoded([1, 4, 2, 9, 2], [0, 0, 0, 1, 1], 0, 0, YES),
    ]
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(60):
        start, end, kind = model(*collate(batch))
        loss = reading_loss(start, end, kind, batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1
    assert (start[0].argmax(), end[0].argmax(), start[1].argmax()) == (4, 5, 0)
    assert kind.argmax(1).tolist() == [SPAN, NONE, YES]
    assert (start[:, 1:3] < -5000).all()  # the question cannot hold the answer
