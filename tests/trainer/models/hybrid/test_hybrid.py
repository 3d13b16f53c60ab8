"""The hybrid CTC/attention model: its losses, its padding, its generation, and what saving keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from diagnose.common.errors import InputError
from tests.support.small_runs import ToneSet, config
from trainer.config import Config
from trainer.models.bundle import ModelBundle, build, load_bundle
from trainer.models.hybrid.model import HybridConfig, HybridModel

ROWS = ToneSet(4)
INPUT = "feats"
torch.set_num_threads(1)


def settings(model: dict | None = None, **training) -> Config:
    plain = config("hybrid", Path("unused"), **training)
    return plain.model_copy(update={"model": plain.model.model_copy(update=model or {})})


@pytest.fixture(scope="module")
def parts() -> ModelBundle:
    built = build(settings(), ROWS.texts())
    built.model.eval()
    return built


@pytest.fixture(scope="module")
def batch(parts: ModelBundle) -> dict[str, torch.Tensor]:
    return parts.collate([ROWS[number] for number in range(4)])


def single(batch: dict[str, torch.Tensor], row: int) -> dict[str, torch.Tensor]:
    """One row, without the padding the others made."""
    frames, tokens = int(batch["feat_lens"][row]), int(batch["tok_lens"][row])
    one = {key: value[row : row + 1] for key, value in batch.items()}
    return one | {"feats": one["feats"][:, :frames], "toks": one["toks"][:, :tokens]}


@pytest.mark.parametrize("chunk_size", [None, 3])
def test_a_batch_is_the_weighted_sum_of_its_rows(batch, chunk_size) -> None:
    built = build(settings({"chunk_size": chunk_size}), ROWS.texts())
    built.model.eval()
    whole = built.model(**batch)
    each = [built.model(**single(batch, row)) for row in range(len(batch["toks"]))]
    tokens = batch["tok_lens"]
    assert len(set(tokens.tolist())) > 3 and len(set(batch["feat_lens"].tolist())) > 3
    att = sum(one.att_loss * count for one, count in zip(each, tokens, strict=True)) / tokens.sum()
    ctc = sum(one.ctc_loss for one in each[:4]) / 4  # the second half are translations: no CTC target
    torch.testing.assert_close(whole.att_loss, att)
    torch.testing.assert_close(whole.ctc_loss, ctc)
    torch.testing.assert_close(whole.loss, 0.3 * ctc + 0.7 * att)
    assert all(one.ctc_loss == 0 for one in each[4:])


def test_logits_of_a_row_do_not_depend_on_the_others(parts, batch) -> None:
    together = parts.model(**batch)
    for row in range(len(batch["toks"])):
        alone = parts.model(**single(batch, row))
        torch.testing.assert_close(together.logits[row, : alone.logits.shape[1]], alone.logits[0], rtol=1e-4, atol=1e-5)
        assert together.encoder_lengths[row] == alone.encoder_lengths[0]


def test_the_decoder_sees_no_later_token(parts, batch) -> None:
    changed = {**batch, "toks": batch["toks"].clone()}
    changed["toks"][0, 5] = 9
    one, two = parts.model(**batch).logits[0], parts.model(**changed).logits[0]
    torch.testing.assert_close(one[:6], two[:6])
    assert not torch.allclose(one[6], two[6])


def test_ctc_targets_are_the_transcripts_alone(parts, batch) -> None:
    targets = parts.model.ctc_targets(batch["toks"])
    assert parts.decode(targets) == [ROWS[number]["transcript"] for number in range(4)] + [""] * 4
    assert not (targets == parts.tokenizer.eos_token_id).any()


def test_ctc_alone_leaves_the_decoder_untouched(batch) -> None:
    built = build(settings(), ROWS.texts())
    built.model.ctc_only = True
    output = built.model(**batch)
    output.loss.backward()
    assert output.att_loss is None and torch.equal(output.loss, output.ctc_loss)
    grads = {name: parameter.grad is not None for name, parameter in built.model.named_parameters()}
    assert all(got != name.startswith("decoder.") for name, got in grads.items())


def test_without_a_ctc_weight_there_is_no_ctc(batch) -> None:
    built = build(settings({"ctc_weight": 0.0}), ROWS.texts())
    output = built.model(**batch)
    assert output.ctc_loss is None and torch.equal(output.loss, output.att_loss) and built.model.ctc is None


def test_a_doubled_batch_is_heard_once_and_any_other_in_full(parts, batch) -> None:
    heard = []
    hook = parts.model.encoder.register_forward_hook(lambda module, inputs, output: heard.append(len(inputs[0])))
    changed = {key: value.clone() for key, value in batch.items()}
    changed[INPUT][-1, :50] += 5.0
    try:
        for rows in (batch, changed, single(batch, 1)):
            parts.model(**rows)
    finally:
        hook.remove()
    assert heard == [4, 8, 1]


def test_extra_arguments_are_swallowed(parts, batch) -> None:
    output = parts.model(**batch, num_items_in_batch=7, return_loss=True)
    assert torch.equal(output.loss, parts.model(**batch).loss)


def test_greedy_generation_agrees_with_the_decoder_read_from_scratch(parts, batch) -> None:
    model, toks = parts.model, batch["toks"]
    ids = model.generate(batch["feats"], batch["feat_lens"], toks[:, :1], max_length=9)
    assert (ids[:, 0] == model.config.decoder_start_token_id).all() and torch.equal(ids[:, 1], toks[:, 0])
    encoded, valid = model.encode(batch["feats"], batch["feat_lens"])
    hidden, _ = model.decoder(ids[:, :-1], model.decoder.memories(encoded), valid)
    said = model.head(hidden).argmax(dim=-1)[:, 1:]
    ended = (ids[:, 2:] == model.config.eos_token_id).cumsum(dim=1) > 0
    before_end = ~torch.cat([torch.zeros_like(ended[:, :1]), ended[:, :-1]], dim=1)
    assert torch.equal(said[before_end], ids[:, 2:][before_end])


def test_generation_stops_when_all_rows_ended_and_fills_with_padding() -> None:
    torch.manual_seed(0)
    model = HybridModel(HybridConfig(hidden_size=16, heads=2, ffn=16, vocab_size=8, decoder_layers=1)).eval()
    with torch.no_grad():  # the first norm scales nothing, so what is said depends on the bias alone: the end token
        model.decoder.norm.weight.zero_()
        model.decoder.norm.bias.copy_(model.head.weight[2] * 100)
    ids = model.generate(torch.randn(3, 20, 80), torch.tensor([20, 9, 1]), torch.full((3, 1), 4), max_length=50)
    assert ids.tolist() == [[1, 4, 2]] * 3


def test_parts_generate_bounded_and_without_prompt(parts, batch) -> None:
    ids = parts.generate(parts.model, batch)
    assert ids.shape[0] == 8 and ids.shape[1] <= parts.config.training.generation_max_length - 2
    assert len(parts.decode(ids)) == 8


def test_decoding_tolerates_padding_and_ids_out_of_range(parts, batch) -> None:
    labels = batch["toks"].clone()
    labels[0, 0] = 999_999
    assert parts.decode(labels)[0] == ROWS[0]["transcript"]


def test_saved_and_loaded_bit_by_bit(parts, batch, tmp_path) -> None:
    parts.save(tmp_path)
    loaded = load_bundle(tmp_path)
    loaded.model.eval()
    assert torch.equal(loaded.model(**batch).loss, parts.model(**batch).loss)
    assert loaded.model.head.weight is loaded.model.decoder.embedding.weight
    again = loaded.collate([ROWS[number] for number in range(4)])
    assert all(torch.equal(again[key], batch[key]) for key in batch)
    assert loaded.model.generation_config.language == "vi" and loaded.model.generation_config.task == "both"


def test_a_trained_directory_can_start_a_run_without_ctc(parts, batch, tmp_path) -> None:
    parts.save(tmp_path)
    started = build(settings({"name": str(tmp_path), "random": None, "ctc_weight": 0.0}))
    started.model.eval()
    torch.testing.assert_close(started.model(**batch).loss, parts.model(**batch).att_loss)


def test_gradient_checkpointing_changes_no_gradient(batch) -> None:
    grads = []
    for checkpointing in (False, True):
        built = build(settings(dropout=0.2), ROWS.texts())
        if checkpointing:
            built.model.gradient_checkpointing_enable()
        torch.manual_seed(5)
        built.model.train()(**batch).loss.backward()
        grads.append([parameter.grad for parameter in built.model.parameters()])
    assert all(torch.equal(one, two) for one, two in zip(*grads, strict=True))


def test_a_frozen_encoder_is_frozen_and_thaws() -> None:
    built = build(settings(freeze_encoder=True), ROWS.texts())
    trained = {name for name, parameter in built.model.named_parameters() if parameter.requires_grad}
    assert trained and not any(name.startswith("encoder.") for name in trained)
    built.train_encoder(True)
    assert all(parameter.requires_grad for parameter in built.model.parameters())


def test_the_same_seed_builds_the_same_model() -> None:
    one, two = (build(settings(), ROWS.texts()).model.state_dict() for _ in range(2))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_beams_are_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match="generation_num_beams: the hybrid decodes greedily"):
        build(settings(generation_num_beams=4), ROWS.texts())


def test_neither_name_nor_sizes_is_told() -> None:
    with pytest.raises(InputError, match="neither `name` nor `random`"):
        build(settings({"random": None}), ROWS.texts())
