"""What holds for the model of every architecture: losses, decoding, saving, checkpointing, seeds."""

from __future__ import annotations

import pytest
import torch

from tests.support.small_bundles import built, collated, trainable
from tests.support.small_runs import ARCHITECTURES, dataset
from trainer.models.bundle import ModelBundle, load_bundle

SPEECH = [name for name in ARCHITECTURES if name != "mt5"]
WITH_CTC = ["e2e+ctc", "hybrid", "whisper+ctc"]
INPUT = {"e2e+ctc": "input_values", "hybrid": "feats"}
DECODER = {"e2e+ctc": "decoder.", "hybrid": "decoder.", "whisper+ctc": "model.decoder."}
EXTRA = {"e2e+ctc": {"return_loss": True, "output_scores": False}, "hybrid": {"return_loss": True}}
NO_CACHE = {"mt5": {"use_cache": False}, "whisper": {"use_cache": False}, "whisper+ctc": {"use_cache": False}}
TIED = {
    "e2e+ctc": lambda model: (model.decoder.lm_head, model.decoder.get_input_embeddings()),
    "hybrid": lambda model: (model.head, model.decoder.embedding),
    "mt5": lambda model: (model.lm_head, model.shared),
    "whisper": lambda model: (model.proj_out, model.model.decoder.embed_tokens),
    "whisper+ctc": lambda model: (model.proj_out, model.model.decoder.embed_tokens),
}


@pytest.fixture(scope="module", params=ARCHITECTURES)
def architecture(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def bundle(architecture: str) -> ModelBundle:
    return built(architecture)


@pytest.fixture(scope="module")
def batch(bundle: ModelBundle, architecture: str) -> dict[str, torch.Tensor]:
    return collated(bundle, architecture)


def test_extra_arguments_are_swallowed(bundle, batch, architecture) -> None:
    output = bundle.model(**batch, num_items_in_batch=7, **EXTRA.get(architecture, {}))
    assert torch.equal(output.loss, bundle.model(**batch).loss)


def test_saved_and_loaded_bit_by_bit_with_tied_weights(bundle, batch, architecture, tmp_path) -> None:
    bundle.save(tmp_path)
    assert (tmp_path / "model.safetensors").is_file()
    loaded = load_bundle(tmp_path)
    loaded.model.eval()
    assert type(loaded.model) is type(bundle.model) and loaded.fresh == () and bundle.fresh == ("*",)
    head, embedding = TIED[architecture](loaded.model)
    assert head.weight is embedding.weight
    assert torch.equal(loaded.model(**batch).loss, bundle.model(**batch).loss)
    assert torch.equal(loaded.generate(loaded.model, batch), bundle.generate(bundle.model, batch))
    again = collated(loaded, architecture)
    assert all(torch.equal(again[key], batch[key]) for key in batch)
    assert trainable(loaded) == trainable(bundle)


def test_gradient_checkpointing_changes_no_gradient_though_the_batch_is_doubled(batch, architecture) -> None:
    grads = []
    for checkpointing in (False, True):
        one = built(architecture, dropout=0.2)
        if checkpointing:
            one.model.gradient_checkpointing_enable()
        torch.manual_seed(5)
        one.model.train()(**batch, **NO_CACHE.get(architecture, {})).loss.backward()
        grads.append([parameter.grad for parameter in one.model.parameters() if parameter.requires_grad])
    assert all(torch.equal(one, two) for one, two in zip(*grads, strict=True))


def test_the_same_seed_builds_the_same_model_and_leaves_the_random_state_alone(architecture) -> None:
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    one, two = (built(architecture).model.state_dict() for _ in range(2))
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert torch.equal(before, torch.random.get_rng_state())
    other = built(architecture, seed=7).model
    head, _ = TIED[architecture](other)
    assert not any(head.weight.shape == value.shape and torch.equal(head.weight, value) for value in one.values())


@pytest.mark.parametrize("architecture", SPEECH, indirect=True)
def test_decoding_tolerates_padding_and_ids_out_of_range(bundle, batch, architecture) -> None:
    labels, items = bundle.labels_of(batch).clone(), dataset(architecture, 4)
    labels[0, 0] = 999_999
    assert bundle.decode(labels) == [items[n][name] for name in ("transcript", "translation") for n in range(4)]


@pytest.mark.parametrize("architecture", SPEECH, indirect=True)
def test_generation_is_bounded_and_without_prompt(bundle, batch, architecture) -> None:
    ids, limit = bundle.generate(bundle.model, batch), bundle.config.training.generation_max_length
    assert len(ids) == len(bundle.decode(ids)) == 8 and ids.shape[1] <= limit - (2 if architecture in INPUT else 0)


@pytest.mark.parametrize("architecture", WITH_CTC, indirect=True)
def test_ctc_alone_leaves_the_decoder_untouched(batch, architecture) -> None:
    one = built(architecture)
    one.model.ctc_only = True
    output = one.model(**batch)
    output.loss.backward()
    assert output.att_loss is None and torch.equal(output.loss, output.ctc_loss)
    got = {name: value.grad is not None for name, value in one.model.named_parameters() if value.requires_grad}
    assert all(found != name.startswith(DECODER[architecture]) for name, found in got.items())


@pytest.mark.parametrize("architecture", INPUT, indirect=True)
def test_a_doubled_batch_is_heard_once_and_any_other_in_full(bundle, batch, architecture) -> None:
    heard = []
    hook = bundle.model.encoder.register_forward_hook(lambda module, inputs, output: heard.append(len(inputs[0])))
    changed = {key: value.clone() for key, value in batch.items()}
    changed[INPUT[architecture]][-1, :50] += 5.0
    try:
        for rows in (batch, changed, {key: value[1:2] for key, value in batch.items()}):
            bundle.model(**rows)
    finally:
        hook.remove()
    assert heard == [4, 8, 1]
