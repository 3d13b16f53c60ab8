"""mT5: its loss, its generation, and what saving keeps."""

from __future__ import annotations

import math

import pytest
import torch
from transformers import T5Config, T5ForConditionalGeneration

from diagnose.common.errors import InputError
from tests.support.small_bundles import built, collated, settings
from tests.support.small_runs import TextSet
from trainer.collate.labels import label_lengths
from trainer.models.bundle import ModelBundle, build, load_bundle
from trainer.models.tokenizers.whisper_and_t5 import build_t5_tokenizer

ROWS = TextSet(4)


@pytest.fixture(scope="module")
def bundle() -> ModelBundle:
    return built("mt5")


@pytest.fixture(scope="module")
def batch(bundle: ModelBundle) -> dict[str, torch.Tensor]:
    return collated(bundle, "mt5")


def row_of(batch: dict[str, torch.Tensor], row: int) -> dict[str, torch.Tensor]:
    """One row, without the padding that the others made."""
    one = {key: value[row : row + 1] for key, value in batch.items()}
    size = int(one["attention_mask"].sum())
    short = {key: one[key][:, :size] for key in ("input_ids", "attention_mask")}
    return short | {"labels": one["labels"][:, : int(label_lengths(one["labels"]))]}


def test_a_batch_is_the_weighted_sum_of_its_rows(bundle, batch) -> None:
    each = [bundle.model(**row_of(batch, row)).loss for row in range(4)]
    tokens = label_lengths(batch["labels"])
    assert len(set(tokens.tolist())) > 2
    weighted = sum(loss * count for loss, count in zip(each, tokens, strict=True)) / tokens.sum()
    torch.testing.assert_close(bundle.model(**batch, num_items_in_batch=3).loss, weighted)


@pytest.mark.parametrize("hidden", [16, 96])
def test_the_first_loss_is_not_that_of_wide_logits(batch, hidden: int) -> None:
    sizes = settings("mt5").model.random.model_copy(update={"hidden": hidden})
    bundle = built("mt5", {"random": sizes})
    assert bundle.model(**batch).loss < 3 * math.log(len(bundle.tokenizer))  # an mT5 begins at 10 ln V


@pytest.mark.parametrize("beams", [1, 3])
def test_rows_are_generated_as_if_alone(batch, beams: int) -> None:
    bundle = built("mt5", generation_num_beams=beams, generation_max_length=9)
    together = bundle.generate(bundle.model, batch)
    assert together.shape[0] == 4 and 1 <= together.shape[1] < 9
    for row in range(4):
        assert bundle.decode(bundle.generate(bundle.model, row_of(batch, row))) == bundle.decode(
            together[row : row + 1]
        )


def test_labels_come_back_as_text(bundle, batch) -> None:
    labels = batch["labels"].clone()
    labels[labels == -100] = 999_999
    assert bundle.decode(labels) == bundle.decode(batch["labels"]) == [ROWS[number]["summary"] for number in range(4)]
    assert bundle.tasks_of(batch) == ["summarize"] * 4


def test_a_head_of_its_own_survives_loading(bundle, batch, tmp_path) -> None:
    untied = built("mt5")
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
    started = build(settings("mt5", {"name": str(tmp_path), "random": None, "source_prefix": "học:"}))
    assert isinstance(started.model, T5ForConditionalGeneration) and started.model.dtype == torch.float32
    batch = started.collate([ROWS[0]])
    assert started.model(**batch).loss.isfinite()
    assert started.decode(batch["input_ids"])[0] == f"học: {ROWS[0]['document']}"


def test_a_tokenizer_of_another_model_is_refused(bundle, tmp_path) -> None:
    bundle.save(tmp_path / "model")
    build_t5_tokenizer([*ROWS.texts(), "ABCDEFG"], "characters").save_pretrained(tmp_path / "words")
    with pytest.raises(InputError, match=r"model.tokenizer: it has \d+ tokens but the model has \d+ embeddings"):
        build(settings("mt5", {"name": str(tmp_path / "model"), "tokenizer": str(tmp_path / "words"), "random": None}))


def test_fp16_is_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match=r"training.fp16: T5 and mT5 overflow in fp16"):
        built("mt5", fp16=True)


def test_a_text_model_does_not_transcribe(bundle) -> None:
    with pytest.raises(InputError, match="can only summarize, not transcribe"):
        bundle.collate_for("transcribe")


def test_a_frozen_encoder_is_frozen_and_thaws() -> None:
    bundle = built("mt5", freeze_encoder=True)
    blocks = [p for name, p in bundle.model.named_parameters() if name.startswith("encoder.block")]
    assert blocks and not any(p.requires_grad for p in blocks)
    assert all(p.requires_grad for name, p in bundle.model.named_parameters() if name.startswith("decoder.block"))
    bundle.train_encoder(True)
    assert all(p.requires_grad for p in bundle.model.parameters())
