"""The hybrid CTC/attention model: its losses, its padding, its generation, and what saving keeps."""

from __future__ import annotations

import pytest
import torch

from diagnose.common.errors import InputError
from tests.support.small_bundles import built, collated, settings, trainable
from tests.support.small_runs import ToneSet
from trainer.models.bundle import ModelBundle, build, load_bundle
from trainer.models.hybrid.model import HybridConfig, HybridModel

ROWS = ToneSet(4)


@pytest.fixture(scope="module")
def bundle() -> ModelBundle:
    return built("hybrid")


@pytest.fixture(scope="module")
def batch(bundle: ModelBundle) -> dict[str, torch.Tensor]:
    return collated(bundle, "hybrid")


def single(batch: dict[str, torch.Tensor], row: int) -> dict[str, torch.Tensor]:
    """One row, without the padding the others made."""
    frames, tokens = int(batch["feat_lens"][row]), int(batch["tok_lens"][row])
    one = {key: value[row : row + 1] for key, value in batch.items()}
    return one | {"feats": one["feats"][:, :frames], "toks": one["toks"][:, :tokens]}


@pytest.mark.parametrize("chunk_size", [None, 3])
def test_a_batch_is_the_weighted_sum_of_its_rows(batch, chunk_size) -> None:
    bundle = built("hybrid", {"chunk_size": chunk_size})
    whole = bundle.model(**batch)
    each = [bundle.model(**single(batch, row)) for row in range(len(batch["toks"]))]
    tokens = batch["tok_lens"]
    assert len(set(tokens.tolist())) > 3 and len(set(batch["feat_lens"].tolist())) > 3
    att = sum(one.att_loss * count for one, count in zip(each, tokens, strict=True)) / tokens.sum()
    ctc = sum(one.ctc_loss for one in each[:4]) / 4  # the second half are translations: no CTC target
    torch.testing.assert_close(whole.att_loss, att)
    torch.testing.assert_close(whole.ctc_loss, ctc)
    torch.testing.assert_close(whole.loss, 0.3 * ctc + 0.7 * att)
    assert all(one.ctc_loss == 0 for one in each[4:])


def test_logits_of_a_row_do_not_depend_on_the_others(bundle, batch) -> None:
    together = bundle.model(**batch)
    for row in range(len(batch["toks"])):
        alone = bundle.model(**single(batch, row))
        torch.testing.assert_close(together.logits[row, : alone.logits.shape[1]], alone.logits[0], rtol=1e-4, atol=1e-5)
        assert together.encoder_lengths[row] == alone.encoder_lengths[0]


def test_the_decoder_sees_no_later_token(bundle, batch) -> None:
    changed = {**batch, "toks": batch["toks"].clone()}
    changed["toks"][0, 5] = 9
    one, two = bundle.model(**batch).logits[0], bundle.model(**changed).logits[0]
    torch.testing.assert_close(one[:6], two[:6])
    assert not torch.allclose(one[6], two[6])


def test_ctc_targets_are_the_transcripts_alone(bundle, batch) -> None:
    targets = bundle.model.ctc_targets(batch["toks"])
    assert bundle.decode(targets) == [ROWS[number]["transcript"] for number in range(4)] + [""] * 4
    assert not (targets == bundle.tokenizer.eos_token_id).any()


def test_without_a_ctc_weight_there_is_no_ctc(batch) -> None:
    model = built("hybrid", {"ctc_weight": 0.0}).model
    output = model(**batch)
    assert output.ctc_loss is None and torch.equal(output.loss, output.att_loss) and model.ctc is None


def test_greedy_generation_agrees_with_the_decoder_read_from_scratch(bundle, batch) -> None:
    model, toks = bundle.model, batch["toks"]
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


def test_language_and_task_are_saved(bundle, tmp_path) -> None:
    bundle.save(tmp_path)
    loaded = load_bundle(tmp_path)
    assert loaded.model.generation_config.language == "vi" and loaded.model.generation_config.task == "both"


def test_a_trained_directory_can_start_a_run_without_ctc(bundle, batch, tmp_path) -> None:
    bundle.save(tmp_path)
    started = build(settings("hybrid", {"name": str(tmp_path), "random": None, "ctc_weight": 0.0}))
    started.model.eval()
    torch.testing.assert_close(started.model(**batch).loss, bundle.model(**batch).att_loss)


def test_a_frozen_encoder_is_frozen_and_thaws() -> None:
    bundle = built("hybrid", freeze_encoder=True)
    assert trainable(bundle) and not any(name.startswith("encoder.") for name in trainable(bundle))
    bundle.train_encoder(True)
    assert all(parameter.requires_grad for parameter in bundle.model.parameters())


def test_beams_are_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match="generation_num_beams: the hybrid decodes greedily"):
        built("hybrid", generation_num_beams=4)


def test_neither_name_nor_sizes_is_told() -> None:
    with pytest.raises(InputError, match="neither `name` nor `random`"):
        built("hybrid", {"random": None})
