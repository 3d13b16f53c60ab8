"""Whisper: its losses, its generation, freezing, and what saving keeps."""

from __future__ import annotations

import pytest
import torch
from transformers import WhisperForConditionalGeneration

from diagnose.common.errors import InputError
from tests.support.small_bundles import built, collated, settings, trainable
from tests.support.small_runs import ToneSet
from trainer.collate.labels import label_lengths
from trainer.collate.whisper import PROMPT
from trainer.models.bundle import ModelBundle, build, load_bundle
from trainer.models.whisper.model import WhisperWithCTC

ROWS = ToneSet(4)


@pytest.fixture(scope="module", params=["whisper", "whisper+ctc"])
def bundle(request) -> ModelBundle:
    return built(request.param)


@pytest.fixture(scope="module")
def batch(bundle: ModelBundle) -> dict[str, torch.Tensor]:
    return collated(bundle, "whisper")


def rows_of(batch: dict[str, torch.Tensor], *rows: int) -> dict[str, torch.Tensor]:
    """Some rows, without the padding that the others made."""
    some = {key: value[list(rows)] for key, value in batch.items()}
    for key in some.keys() - {"input_features"}:
        some[key] = some[key][:, : max(1, int(label_lengths(some[key]).max()))]
    return some


def test_a_batch_is_the_weighted_sum_of_its_rows(bundle, batch) -> None:
    whole = bundle.model(**batch)
    each = [bundle.model(**rows_of(batch, row)) for row in range(8)]
    tokens = label_lengths(batch["labels"])
    assert len(set(tokens.tolist())) > 3
    att = (
        sum(getattr(one, "att_loss", one.loss) * count for one, count in zip(each, tokens, strict=True)) / tokens.sum()
    )
    if "ctc_labels" not in batch:
        return torch.testing.assert_close(whole.loss, att)
    ctc = sum(one.ctc_loss for one in each[:4]) / 4  # the second half are translations: no CTC target
    assert all(one.ctc_loss == 0 for one in each[4:]) and all(one.ctc_loss > 0 for one in each[:4])
    torch.testing.assert_close(whole.att_loss, att)
    torch.testing.assert_close(whole.ctc_loss, ctc)
    torch.testing.assert_close(whole.loss, 0.4 * ctc + 0.6 * att)


def test_the_ctc_head_changes_nothing_of_whisper() -> None:
    joint, plain = built("whisper+ctc"), built("whisper")
    plain.model.load_state_dict(joint.model.state_dict(), strict=False)
    batch = joint.collate([ROWS[0], ROWS[1]])
    both = {key: batch[key] for key in ("input_features", "labels")}
    torch.testing.assert_close(joint.model(**batch).att_loss, plain.model(**both).loss)
    assert torch.equal(joint.model(**both).loss, plain.model(**both).loss)
    assert torch.equal(joint.generate(joint.model, batch), plain.generate(plain.model, both))


@pytest.mark.parametrize("beams", [1, 3])
def test_every_row_is_generated_with_the_prompt_of_its_own_task(beams: int) -> None:
    bundle = built("whisper+ctc", generation_num_beams=beams, generation_max_length=7)
    batch = bundle.collate([ROWS[0], ROWS[1]])
    together = bundle.generate(bundle.model, batch)
    assert together.shape[0] == 4 and 1 <= together.shape[1] <= 7
    for row in range(4):
        alone = bundle.generate(bundle.model, rows_of(batch, row))
        assert bundle.decode(alone) == bundle.decode(together[row : row + 1])


def test_greedy_generation_agrees_with_the_model_read_from_scratch(bundle, batch) -> None:
    said = bundle.generate(bundle.model, batch)
    start = torch.full_like(said[:, :1], bundle.model.config.decoder_start_token_id)
    inputs = torch.cat([start, batch["labels"][:, :PROMPT], said], dim=1)[:, :-1]
    again = bundle.model(input_features=batch["input_features"], decoder_input_ids=inputs).logits.argmax(dim=-1)
    end = bundle.tokenizer.eos_token_id
    before_end = torch.cat([torch.ones_like(said[:, :1]), (said[:, :-1] != end).long()], dim=1).cumprod(dim=1).bool()
    assert torch.equal(again[:, PROMPT:][before_end], said[before_end])
    assert not torch.equal(inputs[0, :4], inputs[4, :4])  # transcribe, translate


def test_tasks_are_read_from_the_labels(bundle, batch) -> None:
    assert bundle.tasks_of(batch) == ["transcribe"] * 4 + ["translate"] * 4
    assert bundle.tasks_of(bundle.collate_for("translate")([ROWS[0]])) == ["translate"]
    assert bundle.labels_of(batch) is batch["labels"]


def test_the_sinusoids_are_not_learnt_after_loading(bundle, tmp_path) -> None:
    bundle.save(tmp_path)
    assert "model.encoder.embed_positions.weight" not in trainable(load_bundle(tmp_path))


def test_language_and_task_stand_in_generation_config_and_transformers_alone_can_use_it(tmp_path) -> None:
    bundle = built("whisper", {"task": "translate"})
    batch = bundle.collate([ROWS[0], ROWS[1]])
    bundle.save(tmp_path)
    stock = WhisperForConditionalGeneration.from_pretrained(tmp_path)
    wanted = stock.generation_config
    assert (wanted.language, wanted.task) == ("<|vi|>", "translate")
    assert getattr(wanted, "forced_decoder_ids", None) is None
    stock_text = bundle.decode(stock.generate(batch["input_features"]))
    assert stock_text == bundle.decode(bundle.generate(bundle.model, batch))


def test_a_directory_can_start_a_run_and_gets_a_fresh_ctc_head(tmp_path) -> None:
    built("whisper").save(tmp_path)
    started = build(settings("whisper+ctc", {"name": str(tmp_path), "random": None}), ROWS.texts())
    assert isinstance(started.model, WhisperWithCTC) and started.fresh == ("ctc_head.*",)
    assert started.model.ctc_head.projection.out_features == len(started.ctc_vocabulary)
    started.save(tmp_path / "with")
    again = build(settings("whisper+ctc", {"name": str(tmp_path / "with"), "random": None}))
    assert again.fresh == () and again.ctc_vocabulary.characters == started.ctc_vocabulary.characters


def test_weights_are_float32_whatever_the_file_has(tmp_path) -> None:
    bundle = built("whisper")
    bundle.model.half()
    bundle.save(tmp_path)
    assert {p.dtype for p in load_bundle(tmp_path).model.parameters()} == {torch.float32}


def test_what_lacks_weights_is_refused(tmp_path) -> None:
    built("whisper").save(tmp_path)
    built("whisper+ctc").ctc_vocabulary.save(tmp_path)
    with pytest.raises(InputError, match=r"lack 2 parameters of WhisperWithCTC \(such as ctc_head.projection.bias"):
        load_bundle(tmp_path, settings("whisper+ctc"))


def test_a_frozen_encoder_is_frozen_and_thaws_but_for_its_sinusoids() -> None:
    bundle = built("whisper+ctc", freeze_encoder=True)
    frozen = {name for name, p in bundle.model.named_parameters() if not p.requires_grad}
    assert frozen == {name for name, _ in bundle.model.named_parameters() if name.startswith("model.encoder.")}
    bundle.train_encoder(True)
    assert [n for n, p in bundle.model.named_parameters() if not p.requires_grad] == [
        "model.encoder.embed_positions.weight"
    ]


def test_the_window_is_that_of_the_configuration(bundle, batch) -> None:
    assert batch["input_features"].shape[-1] == 200  # 2 seconds
    assert bundle.model.config.max_source_positions == 100


def test_random_weights_need_texts() -> None:
    with pytest.raises(InputError, match="needs training texts, but there are none"):
        build(settings("whisper+ctc"), ["", " "])
