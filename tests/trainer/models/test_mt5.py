"""mT5: its loss, its generation, and what saving keeps."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from transformers import T5Config, T5ForConditionalGeneration

from diagnose.common.errors import InputError
from tests.support.small_runs import TextSet, config
from trainer.collate.labels import label_lengths
from trainer.config import Config
from trainer.models.bundle import ModelBundle, build, load_bundle
from trainer.models.tokenizers.whisper_and_t5 import build_t5_tokenizer

ROWS = TextSet(4)
torch.set_num_threads(1)


def settings(model: dict | None = None, **training) -> Config:
    plain = config("mt5", Path("unused"), **training)
    return plain.model_copy(update={"model": plain.model.model_copy(update=model or {})})


def built(model: dict | None = None, **training) -> ModelBundle:
    parts = build(settings(model, **training), ROWS.texts())
    parts.model.eval()
    return parts


@pytest.fixture(scope="module")
def parts() -> ModelBundle:
    return built()


@pytest.fixture(scope="module")
def batch(parts: ModelBundle) -> dict[str, torch.Tensor]:
    return parts.collate([ROWS[number] for number in range(4)])


def row_of(batch: dict[str, torch.Tensor], row: int) -> dict[str, torch.Tensor]:
    """One row, without the padding that the others made."""
    one = {key: value[row : row + 1] for key, value in batch.items()}
    size = int(one["attention_mask"].sum())
    short = {key: one[key][:, :size] for key in ("input_ids", "attention_mask")}
    return short | {"labels": one["labels"][:, : int(label_lengths(one["labels"]))]}


def test_a_batch_is_the_weighted_sum_of_its_rows(parts, batch) -> None:
    each = [parts.model(**row_of(batch, row)).loss for row in range(4)]
    tokens = label_lengths(batch["labels"])
    assert len(set(tokens.tolist())) > 2
    weighted = sum(loss * count for loss, count in zip(each, tokens, strict=True)) / tokens.sum()
    torch.testing.assert_close(parts.model(**batch, num_items_in_batch=3).loss, weighted)


@pytest.mark.parametrize("hidden", [16, 96])
def test_the_first_loss_is_not_that_of_wide_logits(batch, hidden: int) -> None:
    sizes = settings().model.random.model_copy(update={"hidden": hidden})
    parts = built({"random": sizes})
    assert parts.model(**batch).loss < 3 * math.log(len(parts.tokenizer))  # an mT5 begins at 10 ln V


@pytest.mark.parametrize("beams", [1, 3])
def test_rows_are_generated_as_if_alone(batch, beams: int) -> None:
    parts = built(generation_num_beams=beams, generation_max_length=9)
    together = parts.generate(parts.model, batch)
    assert together.shape[0] == 4 and 1 <= together.shape[1] < 9
    for row in range(4):
        assert parts.decode(parts.generate(parts.model, row_of(batch, row))) == parts.decode(together[row : row + 1])


def test_labels_come_back_as_text(parts, batch) -> None:
    labels = batch["labels"].clone()
    labels[labels == -100] = 999_999
    assert parts.decode(labels) == parts.decode(batch["labels"]) == [ROWS[number]["summary"] for number in range(4)]
    assert parts.tasks_of(batch) == ["summarize"] * 4


def test_saved_and_loaded_bit_by_bit(parts, batch, tmp_path) -> None:
    parts.save(tmp_path)
    loaded = load_bundle(tmp_path)
    loaded.model.eval()
    assert loaded.fresh == () and parts.fresh == ("*",)
    assert loaded.model.lm_head.weight is loaded.model.shared.weight
    assert torch.equal(loaded.model(**batch).loss, parts.model(**batch).loss)
    assert torch.equal(loaded.generate(loaded.model, batch), parts.generate(parts.model, batch))
    again = loaded.collate([ROWS[number] for number in range(4)])
    assert all(torch.equal(again[key], batch[key]) for key in batch)


def test_a_head_of_its_own_survives_loading(parts, batch, tmp_path) -> None:
    untied = built()
    untied.model.lm_head.weight = torch.nn.Parameter(torch.randn_like(untied.model.shared.weight))
    untied.save(tmp_path)
    loaded = load_bundle(tmp_path)
    loaded.model.eval()
    assert torch.equal(loaded.model.lm_head.weight, untied.model.lm_head.weight)
    assert torch.equal(loaded.model(**batch).loss, untied.model(**batch).loss)


def test_a_t5_is_as_welcome_as_an_mt5(tmp_path) -> None:
    tokenizer = build_t5_tokenizer([*ROWS.texts(), "học:"], "characters")
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": 0}
    T5ForConditionalGeneration(T5Config(vocab_size=len(tokenizer), **sizes)).half().save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    started = build(settings({"name": str(tmp_path), "random": None, "source_prefix": "học:"}))
    assert isinstance(started.model, T5ForConditionalGeneration) and started.model.dtype == torch.float32
    batch = started.collate([ROWS[0]])
    assert started.model(**batch).loss.isfinite()
    assert started.decode(batch["input_ids"])[0] == f"học: {ROWS[0]['document']}"


def test_a_tokenizer_of_another_model_is_refused(parts, tmp_path) -> None:
    parts.save(tmp_path / "model")
    build_t5_tokenizer([*ROWS.texts(), "ABCDEFG"], "characters").save_pretrained(tmp_path / "words")
    with pytest.raises(InputError, match=r"model.tokenizer: it has \d+ tokens and the model has room for \d+"):
        build(settings({"name": str(tmp_path / "model"), "tokenizer": str(tmp_path / "words"), "random": None}))


def test_fp16_is_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match=r"training.fp16: T5 and mT5 overflow in fp16"):
        built(fp16=True)


def test_a_text_model_does_not_transcribe(parts) -> None:
    with pytest.raises(InputError, match="can only summarize, not transcribe"):
        parts.collate_for("transcribe")


def test_gradient_checkpointing_changes_no_gradient() -> None:
    grads = []
    for checkpointing in (False, True):
        parts = built(dropout=0.2)
        if checkpointing:
            parts.model.gradient_checkpointing_enable()
        torch.manual_seed(5)
        parts.model.train()(**parts.collate([ROWS[0], ROWS[1]]), use_cache=False).loss.backward()
        grads.append([p.grad for p in parts.model.parameters()])
    assert all(torch.equal(one, two) for one, two in zip(*grads, strict=True))


def test_a_frozen_encoder_is_frozen_and_thaws() -> None:
    parts = built(freeze_encoder=True)
    blocks = [p for name, p in parts.model.named_parameters() if name.startswith("encoder.block")]
    assert blocks and not any(p.requires_grad for p in blocks)
    assert all(p.requires_grad for name, p in parts.model.named_parameters() if name.startswith("decoder.block"))
    parts.train_encoder(True)
    assert all(p.requires_grad for p in parts.model.parameters())
