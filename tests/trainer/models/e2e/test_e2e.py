"""Wav2Vec2 and mBART as one model: adapter, tokens, freezing, losses, and what saving keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers import (
    MBartConfig,
    MBartForCausalLM,
    MBartForConditionalGeneration,
    Wav2Vec2Config,
    Wav2Vec2FeatureExtractor,
    Wav2Vec2Model,
)

from diagnose.common.errors import InputError
from tests.support import small_bundles
from tests.support.small_bundles import collated, settings, trainable
from tests.support.small_runs import ToneSet
from trainer.models.bundle import ModelBundle
from trainer.models.e2e.assemble import language_code
from trainer.models.tokenizers.hybrid_and_mbart import mbart_tokenizer

ROWS = ToneSet(4)


def with_norm(norm: str) -> dict:
    return {"random": settings("e2e+ctc").model.random.model_copy(update={"conv_norm": norm})}


def ready(model: dict | None = None) -> ModelBundle:
    return small_bundles.built("e2e+ctc", model)


@pytest.fixture(scope="module")
def bundle() -> ModelBundle:
    return ready()


@pytest.fixture(scope="module")
def batch(bundle: ModelBundle) -> dict[str, torch.Tensor]:
    return collated(bundle, "e2e+ctc")


@pytest.fixture(scope="module", params=[MBartForCausalLM, MBartForConditionalGeneration])
def released(request, tmp_path_factory) -> dict[str, str]:
    """Two directories as a hub would give them: sizes differ, the vocabulary lacks the task tokens, weights in fp16."""
    torch.manual_seed(1)
    root = tmp_path_factory.mktemp("released")
    front = {
        "conv_dim": [8] * 7,
        "num_conv_pos_embeddings": 8,
        "num_conv_pos_embedding_groups": 4,
        "num_hidden_layers": 1,
    }
    encoder = Wav2Vec2Config(hidden_size=12, num_attention_heads=2, intermediate_size=16, layerdrop=0.1, **front)
    Wav2Vec2Model(encoder).save_pretrained(root / "encoder")
    Wav2Vec2FeatureExtractor(return_attention_mask=False).save_pretrained(root / "encoder")
    tokenizer = mbart_tokenizer(ROWS.texts(), "characters", "en_XX")
    size = len(tokenizer) - 2
    sizes = {"d_model": 16, "decoder_layers": 1, "decoder_attention_heads": 2, "decoder_ffn_dim": 16}
    halves = {"encoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 16}
    request.param(MBartConfig(vocab_size=size, **sizes, **halves)).half().save_pretrained(root / "decoder")
    tokenizer.save_pretrained(root / "decoder")
    return {"encoder": str(root / "encoder"), "decoder": str(root / "decoder")}


def single(batch: dict[str, torch.Tensor], row: int) -> dict[str, torch.Tensor]:
    """One row, without the padding the others made."""
    samples = int(batch["attention_mask"][row].sum())
    one = {key: value[row : row + 1] for key, value in batch.items()}
    return {
        key: value[:, :samples] if key in ("input_values", "attention_mask") else _cut(value)
        for key, value in one.items()
    }


def _cut(labels: torch.Tensor) -> torch.Tensor:
    return labels[:, : max(1, int((labels != -100).sum()))]


@pytest.mark.parametrize("norm", ["group", "layer"])
def test_a_batch_is_the_weighted_sum_of_its_rows(batch, norm) -> None:
    bundle = ready(with_norm(norm))
    whole = bundle.model(**batch)
    each = [bundle.model(**single(batch, row)) for row in range(len(batch["labels"]))]
    tokens = (batch["labels"] != -100).sum(dim=1)
    assert len(set(tokens.tolist())) > 3 and len(set(batch["attention_mask"].sum(dim=1).tolist())) > 3
    att = sum(one.att_loss * count for one, count in zip(each, tokens, strict=True)) / tokens.sum()
    ctc = sum(one.ctc_loss for one in each[:4]) / 4  # the second half are translations: no CTC target
    torch.testing.assert_close(whole.att_loss, att, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(whole.ctc_loss, ctc, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(whole.loss, 0.4 * ctc + 0.6 * att, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("norm", ["group", "layer"])
def test_a_row_alone_equals_the_row_among_longer_ones(batch, norm) -> None:
    model = ready(with_norm(norm)).model
    together = model(**batch).logits
    for row in range(len(together)):
        alone = model(**single(batch, row)).logits[0]
        torch.testing.assert_close(together[row, : len(alone)], alone, rtol=1e-4, atol=1e-5)


def test_generation_does_not_depend_on_the_other_rows(bundle, batch) -> None:
    ids = bundle.generate(bundle.model, batch)
    alone = bundle.generate(bundle.model, single(batch, 2))
    assert torch.equal(ids[2:3, : alone.shape[1]], alone)


def test_without_a_ctc_weight_there_is_no_ctc(batch) -> None:
    built = ready({"ctc_weight": 0.0})
    plain = collated(built, "e2e+ctc")
    assert "ctc_labels" not in plain and not hasattr(built.model, "ctc_head")
    assert torch.isfinite(built.model(**plain).loss)


def test_the_start_token_is_looked_up_and_stands_on_the_outer_configuration(bundle) -> None:
    tokenizer, outer = bundle.tokenizer, bundle.model.config
    for ids in (outer, bundle.model.generation_config):
        assert tokenizer.convert_ids_to_tokens(ids.decoder_start_token_id) == "vi_VN"
        assert (ids.pad_token_id, ids.eos_token_id) == (tokenizer.pad_token_id, tokenizer.eos_token_id)


@pytest.mark.parametrize(("given", "code"), [("vi", "vi_VN"), ("vi_VN", "vi_VN"), ("en", "en_XX")])
def test_language_codes(given: str, code: str) -> None:
    assert language_code(given) == code


def test_an_unknown_language_is_told() -> None:
    with pytest.raises(InputError, match=r"model\.language: mBART-50 does not support xx"):
        ready({"language": "xx"})


def test_generation_begins_with_each_rows_own_task(bundle, batch) -> None:
    seen = []
    forward = bundle.model.decoder.model.decoder.forward
    bundle.model.decoder.model.decoder.forward = lambda *a, **k: seen.append(k["input_ids"].clone()) or forward(*a, **k)
    try:
        ids = bundle.generate(bundle.model, batch)
    finally:
        del bundle.model.decoder.model.decoder.forward
    starts = torch.full_like(batch["labels"][:, 0], bundle.model.config.decoder_start_token_id)
    assert torch.equal(seen[0], torch.stack([starts, batch["labels"][:, 0]], dim=1))
    assert ids.shape[1] <= bundle.config.training.generation_max_length - 2
    assert len(bundle.decode(ids)) == 8


def test_a_trained_directory_can_start_a_run_with_and_without_ctc(batch, tmp_path) -> None:
    first = ready({"ctc_weight": 0.0})
    first.save(tmp_path)
    plain = {key: value for key, value in batch.items() if key != "ctc_labels"}
    again = ready({"name": str(tmp_path), "random": None, "ctc_weight": 0.0})
    assert torch.equal(again.model(**plain).loss, first.model(**plain).loss) and again.fresh == ()
    with_ctc = ready({"name": str(tmp_path), "random": None, "ctc_weight": 0.5})
    assert torch.equal(with_ctc.model(**batch).att_loss, first.model(**plain).loss)
    assert with_ctc.fresh == ("ctc_head.*",)


def saved_decoder(directory: str) -> dict[str, torch.Tensor]:
    """What the file holds for the decoder, by the names a decoder alone has; a shared embedding is its embedding."""
    found = load_file(Path(directory) / "model.safetensors")
    if "model.shared.weight" in found:
        found["model.decoder.embed_tokens.weight"] = found["model.shared.weight"]
    return {name: value.float() for name, value in found.items() if name.startswith("model.decoder.")}


def test_the_released_two_are_joined_by_an_adapter_and_lose_nothing(released) -> None:
    built = ready({"random": None, **released})
    encoder = Wav2Vec2Model.from_pretrained(released["encoder"])
    decoder = saved_decoder(released["decoder"])
    assert "model.decoder.embed_tokens.weight" in decoder
    assert all(torch.equal(built.model.encoder.state_dict()[k], v) for k, v in encoder.state_dict().items())
    old = len(built.tokenizer) - 2
    for name, value in decoder.items():
        now = built.model.decoder.state_dict()[name]
        assert torch.equal(now[:old] if now.shape != value.shape else now, value), name
    assert built.model.decoder.lm_head.out_features == built.model.decoder.config.vocab_size == len(built.tokenizer)
    assert built.model.decoder.lm_head.weight is built.model.decoder.get_input_embeddings().weight
    adapter = built.model.enc_to_dec_proj
    assert (adapter.in_features, adapter.out_features) == (12, 16)
    assert {parameter.dtype for parameter in built.model.parameters()} == {torch.float32}
    assert built.model.encoder.config.layerdrop == 0 and set(built.fresh) == {"enc_to_dec_proj.*", "ctc_head.*"}


def test_sizes_that_differ_need_the_adapter(released) -> None:
    with pytest.raises(InputError, match="12 values per frame and the decoder expects 16"):
        ready({"random": None, "add_adapter": False, **released})


def test_no_adapter_where_sizes_agree(bundle) -> None:
    assert not hasattr(bundle.model, "enc_to_dec_proj")


def test_a_frozen_encoder_leaves_adapter_and_heads_trainable_and_thaws_but_for_its_front(released) -> None:
    built = ready({"random": None, "freeze_encoder": True, "freeze_feature_encoder": True, **released})
    assert not any(name.startswith("encoder.") for name in trainable(built))
    assert {"enc_to_dec_proj.weight", "ctc_head.projection.weight"} <= trainable(built)
    built.train_encoder(True)
    front = "encoder.feature_extractor."
    everything = {name for name, _ in built.model.named_parameters()}
    assert trainable(built) == {name for name in everything if not name.startswith(front)}


def test_a_frozen_encoder_gets_no_gradient_and_the_adapter_does(released, batch) -> None:
    built = ready({"random": None, "freeze_encoder": True, **released})
    rows = built.collate([ROWS[number] for number in range(2)])
    built.model.train()(**rows).loss.backward()
    grads = {name for name, parameter in built.model.named_parameters() if parameter.grad is not None}
    assert grads == trainable(built) and built.model.enc_to_dec_proj.weight.grad.abs().sum() > 0
