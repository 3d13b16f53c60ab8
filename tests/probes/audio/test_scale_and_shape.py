"""Samples that were never scaled, and items under the name `audio` that are no waveform."""

import numpy as np
import pytest
from torch.utils.data import DataLoader

import diagnose
from probes.healthy import healthy


class Items:
    """Items of another dataset, with other numbers under `audio`."""

    def __init__(self, dataset, change):
        self.dataset, self.change = dataset, change

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, number):
        item = dict(self.dataset[number])
        return {**item, "audio": self.change(item["audio"])}


def loud(dtype, collate=None):
    facts = healthy("whisper")
    facts["collate"] = collate(facts["collate"]) if collate else facts["collate"]
    facts["train_dataset"] = Items(facts["train_dataset"], lambda samples: (samples * 32_767).astype(dtype))
    facts["train_batches"] = DataLoader(facts["train_dataset"], batch_size=4, collate_fn=facts["collate"])
    return diagnose.preflight(select=["DAT015"], **facts)


def scaling(collate):
    def one(item):
        integers = item["audio"].dtype.kind == "i"
        return {**item, "audio": (item["audio"] / (32_768 if integers else 1)).astype(np.float32)}

    return lambda items: collate([one(item) for item in items])


@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_samples_of_16_bits_that_nobody_scales_are_an_error(dtype):
    report = loud(dtype)
    assert report.verdict == "no-go" and {finding.severity for finding in report.findings} == {"error"}


def test_samples_that_the_collator_scales_are_a_note():
    report = loud("int16", scaling)
    assert report.verdict == "go" and {finding.severity for finding in report.findings} == {"note"}


@pytest.mark.parametrize(
    ("shape", "found"), [((57, 80), set()), ((256,), set()), ((1, 16_000), {"DAT012"}), ((16_000, 2), {"DAT012"})]
)
def test_features_and_embeddings_are_no_waveforms(shape, found):
    rows = [{"audio": np.random.randn(*shape).astype(np.float32), "transcript": "a word"} for _ in range(12)]
    report = diagnose.preflight(select=["DAT012", "DAT020"], train_dataset=rows)
    assert {finding.probe for finding in report.findings} == found
