"""Labels that stand at the places of their input: which row do they fit?"""

import pytest
import torch

import diagnose
from probes.facts.core.step_setup import labels_of_batch
from probes.facts.pairing.row_matches import match_rows

MASK = 3


def language_model(seed, rows=8, shift=0):
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(4, 60, (rows, 12), generator=generator)
    labels = ids.roll(-shift, 1).clone()
    labels[:, :4] = -100
    return {"input_ids": ids, "labels": labels}


def masked_model(seed, rows=16):
    """A seventh of the tokens is scored; four fifths of these are the mask token in the input."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(4, 60, (rows, 40), generator=generator)
    scored = torch.rand(ids.shape, generator=generator) < 0.15
    scored[:, 0] = True
    hidden = scored & (torch.rand(ids.shape, generator=generator) < 0.8)
    hidden[:, 0] = True
    return {"input_ids": ids.masked_fill(hidden, MASK), "labels": ids.masked_fill(~scored, -100)}


def translation(seed, rows=8):
    generator = torch.Generator().manual_seed(seed)
    return {name: torch.randint(4, 60, (rows, 12), generator=generator) for name in ("input_ids", "labels")}


def matches(build, seed, shuffled, **options):
    batches = [build(100 * seed + number, **options) for number in range(3)]
    for batch in batches if shuffled else ():
        batch["labels"] = batch["labels"].roll(3, 0)
    return match_rows(batches, labels_of_batch), batches


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("build", [language_model, masked_model, lambda seed: language_model(seed, shift=1)])
def test_labels_of_language_models_are_seen_to_fit_their_own_row_or_another(build, seed):
    own, _ = matches(build, seed, shuffled=False)
    assert own.moved == 0 and own.chance < 1e-5
    other, batches = matches(build, seed, shuffled=True)
    assert other.moved == other.rows and other.example[0] == 0
    (found,) = diagnose.preflight(select=["LRN033"], train_batches=batches).findings
    assert f"{other.moved} of {other.rows} rows" in found.message


@pytest.mark.parametrize("seed", range(20))
def test_labels_that_are_no_part_of_the_input_tell_nothing(seed):
    assert matches(translation, seed, shuffled=False)[0] is None


class TinyForCausalLM(torch.nn.Module):
    """Only its name counts here."""


@pytest.mark.parametrize("seed", range(5))
def test_a_causal_language_model_whose_labels_come_from_other_batches_is_told(seed):
    for build, alarm in ((translation, True), (language_model, False), (lambda s: language_model(s, rows=2), False)):
        batches = [build(100 * seed + number) for number in range(3)]
        report = diagnose.preflight(select=["LRN033"], train_batches=batches, model=TinyForCausalLM())
        assert [finding.probe for finding in report.findings] == ["LRN033"] * alarm
        assert not diagnose.preflight(select=["LRN033"], train_batches=batches, model=torch.nn.Linear(1, 1)).findings


def test_two_rows_are_too_few_to_be_certain():
    assert matches(language_model, 0, shuffled=True, rows=2)[0] is None
