"""Whisper: its losses, its generation, freezing, and what saving keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import WhisperForConditionalGeneration

from diagnose.common.errors import InputError
from tests.support.small_runs import ToneSet, config
from trainer.collate.labels import label_lengths
from trainer.collate.whisper import PROMPT
from trainer.config import Config
from trainer.models.bundle import ModelBundle, build, load_bundle
from trainer.models.whisper.model import WhisperWithCTC

ROWS = ToneSet(4)
KINDS = ("whisper", "whisper+ctc")
torch.set_num_threads(1)


def settings(kind: str = "whisper+ctc", model: dict | None = None, **training) -> Config:
    plain = config(kind, Path("unused"), **training)
    return plain.model_copy(update={"model": plain.model.model_copy(update=model or {})})


def built(kind: str = "whisper+ctc", model: dict | None = None, **training) -> ModelBundle:
    parts = build(settings(kind, model, **training), ROWS.texts())
    parts.model.eval()
    return parts


@pytest.fixture(scope="module", params=KINDS)
def parts(request) -> ModelBundle:
    return built(request.param)


@pytest.fixture(scope="module")
def batch(parts: ModelBundle) -> dict[str, torch.Tensor]:
    return parts.collate([ROWS[number] for number in range(4)])


def rows_of(batch: dict[str, torch.Tensor], *rows: int) -> dict[str, torch.Tensor]:
    """Some rows, without the padding that the others made."""
    some = {key: value[list(rows)] for key, value in batch.items()}
    for key in some.keys() - {"input_features"}:
        some[key] = some[key][:, : max(1, int(label_lengths(some[key]).max()))]
    return some


def test_a_batch_is_the_weighted_sum_of_its_rows(parts, batch) -> None:
    whole = parts.model(**batch)
    each = [parts.model(**rows_of(batch, row)) for row in range(8)]
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


def test_extra_arguments_are_swallowed(parts, batch) -> None:
    output = parts.model(**batch, num_items_in_batch=7)
    assert torch.equal(output.loss, parts.model(**batch).loss)


def test_the_ctc_head_changes_nothing_of_whisper() -> None:
    joint, plain = built("whisper+ctc"), built("whisper")
    plain.model.load_state_dict(joint.model.state_dict(), strict=False)
    batch = joint.collate([ROWS[0], ROWS[1]])
    both = {key: batch[key] for key in ("input_features", "labels")}
    torch.testing.assert_close(joint.model(**batch).att_loss, plain.model(**both).loss)
    assert torch.equal(joint.model(**both).loss, plain.model(**both).loss)
    assert torch.equal(joint.generate(joint.model, batch), plain.generate(plain.model, both))


def test_ctc_alone_leaves_the_decoder_untouched() -> None:
    parts = built()
    parts.model.ctc_only = True
    output = parts.model(**parts.collate([ROWS[0], ROWS[1]]))
    output.loss.backward()
    assert output.att_loss is None and torch.equal(output.loss, output.ctc_loss)
    got = {name: p.grad is not None for name, p in parts.model.named_parameters() if p.requires_grad}
    assert all(found == name.startswith(("model.encoder.", "ctc_head.")) for name, found in got.items())


@pytest.mark.parametrize("beams", [1, 3])
def test_every_row_is_generated_with_the_prompt_of_its_own_task(beams: int) -> None:
    parts = built(generation_num_beams=beams, generation_max_length=7)
    batch = parts.collate([ROWS[0], ROWS[1]])
    together = parts.generate(parts.model, batch)
    assert together.shape[0] == 4 and 1 <= together.shape[1] <= 7
    for row in range(4):
        alone = parts.generate(parts.model, rows_of(batch, row))
        assert parts.decode(alone) == parts.decode(together[row : row + 1])


def test_greedy_generation_agrees_with_the_model_read_from_scratch(parts, batch) -> None:
    said = parts.generate(parts.model, batch)
    start = torch.full_like(said[:, :1], parts.model.config.decoder_start_token_id)
    inputs = torch.cat([start, batch["labels"][:, :PROMPT], said], dim=1)[:, :-1]
    again = parts.model(input_features=batch["input_features"], decoder_input_ids=inputs).logits.argmax(dim=-1)
    end = parts.tokenizer.eos_token_id
    before_end = torch.cat([torch.ones_like(said[:, :1]), (said[:, :-1] != end).long()], dim=1).cumprod(dim=1).bool()
    assert torch.equal(again[:, PROMPT:][before_end], said[before_end])
    assert not torch.equal(inputs[0, :4], inputs[4, :4])  # transcribe, translate


def test_tasks_are_read_from_the_labels(parts, batch) -> None:
    assert parts.tasks_of(batch) == ["transcribe"] * 4 + ["translate"] * 4
    assert parts.tasks_of(parts.collate_for("translate")([ROWS[0]])) == ["translate"]
    assert parts.labels_of(batch) is batch["labels"]


def test_decoding_tolerates_padding_and_ids_out_of_range(parts, batch) -> None:
    labels = batch["labels"].clone()
    labels[0, 0] = 999_999
    assert parts.decode(labels) == [ROWS[n][name] for name in ("transcript", "translation") for n in range(4)]


def test_saved_and_loaded_bit_by_bit(parts, batch, tmp_path) -> None:
    parts.save(tmp_path)
    loaded = load_bundle(tmp_path)
    loaded.model.eval()
    assert type(loaded.model) is type(parts.model) and loaded.fresh == () and parts.fresh == ("*",)
    assert loaded.model.proj_out.weight is loaded.model.model.decoder.embed_tokens.weight
    assert torch.equal(loaded.model(**batch).loss, parts.model(**batch).loss)
    assert torch.equal(loaded.generate(loaded.model, batch), parts.generate(parts.model, batch))
    again = loaded.collate([ROWS[number] for number in range(4)])
    assert all(torch.equal(again[key], batch[key]) for key in batch)
    trained = [{name: p.requires_grad for name, p in one.model.named_parameters()} for one in (parts, loaded)]
    assert trained[0] == trained[1] and not trained[1]["model.encoder.embed_positions.weight"]


def test_language_and_task_stand_in_generation_config_and_transformers_alone_can_use_it(tmp_path) -> None:
    parts = built("whisper", {"task": "translate"})
    batch = parts.collate([ROWS[0], ROWS[1]])
    parts.save(tmp_path)
    stock = WhisperForConditionalGeneration.from_pretrained(tmp_path)
    wanted = stock.generation_config
    assert (wanted.language, wanted.task) == ("<|vi|>", "translate")
    assert getattr(wanted, "forced_decoder_ids", None) is None
    stock_text = parts.decode(stock.generate(batch["input_features"]))
    assert stock_text == parts.decode(parts.generate(parts.model, batch))


def test_a_directory_can_start_a_run_and_gets_a_fresh_ctc_head(tmp_path) -> None:
    built("whisper").save(tmp_path)
    started = build(settings(model={"name": str(tmp_path), "random": None}), ROWS.texts())
    assert isinstance(started.model, WhisperWithCTC) and started.fresh == ("ctc_head.*",)
    assert started.model.ctc_head.projection.out_features == len(started.ctc_vocabulary)
    started.save(tmp_path / "with")
    again = build(settings(model={"name": str(tmp_path / "with"), "random": None}))
    assert again.fresh == () and again.ctc_vocabulary.characters == started.ctc_vocabulary.characters


def test_weights_are_float32_whatever_the_file_has(tmp_path) -> None:
    parts = built("whisper")
    parts.model.half()
    parts.save(tmp_path)
    assert {p.dtype for p in load_bundle(tmp_path).model.parameters()} == {torch.float32}


def test_what_lacks_weights_is_refused(tmp_path) -> None:
    built("whisper").save(tmp_path)
    built("whisper+ctc").ctc_vocabulary.save(tmp_path)
    with pytest.raises(InputError, match=r"lack 2 parameters of WhisperWithCTC \(ctc_head.projection.bias among them"):
        load_bundle(tmp_path, settings("whisper+ctc"))


def test_gradient_checkpointing_changes_no_gradient_though_the_batch_is_doubled() -> None:
    grads = []
    for checkpointing in (False, True):
        parts = built(dropout=0.2)
        if checkpointing:
            parts.model.gradient_checkpointing_enable()
        torch.manual_seed(5)
        parts.model.train()(**parts.collate([ROWS[0], ROWS[1]]), use_cache=False).loss.backward()
        grads.append([p.grad for p in parts.model.parameters() if p.requires_grad])
    assert all(torch.equal(one, two) for one, two in zip(*grads, strict=True))


def test_a_frozen_encoder_is_frozen_and_thaws_but_for_its_sinusoids() -> None:
    parts = built(freeze_encoder=True)
    frozen = {name for name, p in parts.model.named_parameters() if not p.requires_grad}
    assert frozen == {name for name, _ in parts.model.named_parameters() if name.startswith("model.encoder.")}
    parts.train_encoder(True)
    assert [n for n, p in parts.model.named_parameters() if not p.requires_grad] == [
        "model.encoder.embed_positions.weight"
    ]


def test_the_same_seed_builds_the_same_model_and_leaves_the_random_state_alone() -> None:
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    one, two = (built().model.state_dict() for _ in range(2))
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert torch.equal(before, torch.random.get_rng_state())
    assert not torch.equal(built(seed=7).model.state_dict()["proj_out.weight"], one["proj_out.weight"])


def test_the_window_is_that_of_the_configuration(parts, batch) -> None:
    assert batch["input_features"].shape[-1] == 200  # 2 seconds
    assert parts.model.config.max_source_positions == 100


def test_random_weights_need_texts() -> None:
    with pytest.raises(InputError, match="needs training texts and none were given"):
        build(settings(), ["", " "])
