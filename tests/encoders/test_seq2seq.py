"""A BART and a T5 that write: what a beam gives, what a probability is, and what cannot be opened."""

import sys
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `transformers`")
pytest.importorskip("transformers", reason="needs the extra `transformers`")

import torch

from answerable.encoders.seq2seq import Seq2Seq, family_of, hub_name
from answerable.errors import MissingExtraError, ModelError
from tests.encoders.tiny import FAMILIES, SPECIAL, write_tiny

WORDS = ["red", "ball"]
TEXTS = ["red ball", "ball ball red ball red", "red"]
MOST, ENOUGH = 3, 216
"""Tokens of a text, and more beams than there are texts of so many tokens."""


@pytest.fixture(scope="module", params=FAMILIES)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Seq2Seq:
    folder = tmp_path_factory.mktemp(request.param)
    return Seq2Seq(str(write_tiny(folder, request.param, WORDS)), 1)


def by_hand(model: Seq2Seq, row: list[int]) -> dict[str, float]:
    """Every text of up to three tokens with the best mean probability of those ways to write it that end."""
    end, others = 2, [number for number in range(len(SPECIAL) + len(WORDS)) if number != 2]
    ways = [[*before, end] for size in range(MOST) for before in product(others, repeat=size)]
    best: dict[str, float] = {}
    ids, mask = model.padded([row] * len(ways))
    wanted, known = model.padded(ways)
    labels = wanted.masked_fill(known == 0, -100)
    with torch.inference_mode():
        logits = model.model(input_ids=ids, attention_mask=mask, labels=labels).logits.log_softmax(-1)
    chances = logits.gather(2, wanted[:, :, None]).squeeze(2) * known
    for way, mean in zip(ways, (chances.sum(1) / known.sum(1)).exp().tolist(), strict=True):
        text = model.tokenizer.decode(way, skip_special_tokens=True).strip()
        if text:
            best[text] = max(mean, best.get(text, 0.0))
    return best


def test_a_wide_beam_finds_every_text_with_its_probability(model: Seq2Seq):
    rows = model.tokens(TEXTS, 32)
    for row, ones in zip(rows, model.say(rows, ENOUGH, MOST), strict=True):
        wanted = by_hand(model, row)
        assert dict(ones) == pytest.approx(wanted, rel=1e-4) and len(wanted) == 6
        assert [one[1] for one in ones] == sorted((one[1] for one in ones), reverse=True)


def test_rows_beside_it_do_not_change_a_text(model: Seq2Seq):
    rows = model.tokens(TEXTS * 2, 32)
    together = model.say(rows, ENOUGH, MOST)
    assert together == model.say(rows, ENOUGH, MOST)
    for row, ones in zip(rows, together, strict=True):
        assert dict(model.say([row], ENOUGH, MOST)[0]) == pytest.approx(dict(ones), abs=1e-6)
    assert model.say([], 3, 6) == []


def test_no_more_texts_than_beams_and_none_without_an_end(model: Seq2Seq):
    rows = model.tokens(TEXTS, 32)
    for beams in (1, 3):
        assert all(len(ones) <= beams for ones in model.say(rows, beams, MOST))
    assert model.say(rows, 4, 1) == [[], [], []]  # one token is a word without an end, or an end without a word


def test_what_a_folder_asks_for_besides_is_left_out(model: Seq2Seq, tmp_path: Path):
    rows = model.tokens(TEXTS, 32)
    model.model.generation_config.update(
        num_beams=2, length_penalty=-3.0, no_repeat_ngram_size=1, forced_bos_token_id=4
    )
    model.model.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    again = Seq2Seq(str(tmp_path), 1)
    model.model.generation_config = again.model.generation_config
    assert again.say(rows, 4, MOST) == model.say(rows, 4, MOST)
    assert dict(again.say(rows[:1], ENOUGH, MOST)[0]) == pytest.approx(by_hand(again, rows[0]), rel=1e-4)


def test_texts_are_cut_and_anything_is_a_text(model: Seq2Seq):
    assert len(model.tokens(["red ball " * 50], 9)[0]) == 9
    assert model.tokens(["red \ud800"], 9)[0][-1] == model.model.config.eos_token_id
    assert model.tokens([], 9) == []


def test_names():
    assert hub_name("bart:facebook/bart-base") == "facebook/bart-base" and hub_name("t5:t5-small") == "t5-small"
    assert hub_name("runs/model") is None and hub_name("gpt:x") is None and hub_name("C:\\models") is None


def test_what_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for text in ("", "[]", '{"model_type": "gpt2"}'):
        (tmp_path / "config.json").write_text(text, encoding="utf8")
        assert family_of(tmp_path) is None
        with pytest.raises(ModelError, match="holds no BART or T5"):
            Seq2Seq(str(tmp_path))
    (tmp_path / "config.json").write_text('{"model_type": "bart"}', encoding="utf8")
    with pytest.raises(ModelError, match="can be opened"):
        Seq2Seq(str(tmp_path))
    with pytest.raises(ModelError, match="holds no BART or T5"):
        Seq2Seq("facebook/bart-base")  # a name alone is a folder, and never looked for elsewhere
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="not on this machine and could not be downloaded"):
        Seq2Seq("t5:nobody/nothing")


def test_a_pickle_is_never_opened(model: Seq2Seq, tmp_path: Path):
    model.model.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    torch.save(model.model.state_dict(), tmp_path / "pytorch_model.bin")
    assert Seq2Seq(str(tmp_path), 1).name
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="can be opened"):
        Seq2Seq(str(tmp_path), 1)


def test_without_transformers_it_names_the_extra(model: Seq2Seq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    model.model.config.save_pretrained(tmp_path)
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError) as raised:
        Seq2Seq(str(tmp_path))
    assert "answerable[transformers]" in str(raised.value.hint)
