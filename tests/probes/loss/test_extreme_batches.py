"""The longest and the shortest rows, and the encoder frames that are read."""

import pytest
import torch
from torch import nn

from diagnose import Severity
from probes.facts.loss.types import FramesUsed
from probes.healthy import healthy
from probes.loss.encoder_frames_are_masked_out import encoder_frames_are_masked_out
from tests.probes.loss.support import alarms, looked
from tests.support.hf_trainers import arguments


def test_masking_that_is_longer_than_the_shortest_clips_is_found():
    facts = healthy("e2e")
    facts["model"].encoder.config.mask_time_length = 16
    (finding,) = looked(facts).findings
    assert finding.probe == "LOS015" and finding.where.startswith("the shortest rows")
    assert "mask_time_length" in finding.fix and "Traceback" in finding.measured["trace"]


def test_rows_that_are_not_finite_are_found():
    facts = healthy("hybrid")
    usual = facts["model"].forward

    def forward(feats, **named):
        output = usual(feats=feats, **named)
        long = feats.shape[1] > 57
        return {**output, "loss": output["loss"] * (float("inf") if long else 1.0)}

    facts["model"].forward = forward
    facts["train_batches"] = [facts["collate"]([facts["train_dataset"][number] for number in range(4)])]
    found = [f for f in looked(facts).findings if f.probe == "LOS015"]
    assert found and "Loss: inf" in found[0].message


@pytest.mark.parametrize(("heard", "severity"), [(100, "passes"), (99, "passes"), (95, "warning"), (50, "error")])
def test_one_frame_at_the_edge_is_let_pass(heard, severity):
    found = list(encoder_frames_are_masked_out((FramesUsed("encoder", "the decoder", 100, heard, "row 0"),)))
    assert [f.severity or Severity.ERROR for f in found] == ([] if severity == "passes" else [severity])
    assert all(f"mask_sum: {heard}" in f.message for f in found)


def test_an_encoder_of_which_one_place_is_read_is_left_alone(tmp_path):
    from transformers import BertConfig, BertForSequenceClassification, Trainer

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    model = BertForSequenceClassification(BertConfig(vocab_size=100, num_labels=3, **sizes))
    rows = [{"input_ids": torch.randint(5, 90, (number % 5 + 4,)), "labels": number % 3} for number in range(40)]

    def collate(items):
        ids = nn.utils.rnn.pad_sequence([item["input_ids"] for item in items], batch_first=True)
        labels = torch.tensor([item["labels"] for item in items])
        return {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": labels}

    trainer = Trainer(model=model, args=arguments(tmp_path), train_dataset=rows, data_collator=collate)
    assert not alarms({"trainer": trainer})
