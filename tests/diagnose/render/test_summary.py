"""The run in numbers in a report: two lines by default, all of it under -v and in the JSON."""

import json

import pytest
import torch
from torch import nn

import diagnose
from diagnose.common.progress import Verbosity
from diagnose.engine.report import Report
from diagnose.engine.types import Severity
from diagnose.gate.run_preflight import Preflight
from diagnose.render.summary import all_summary_lines
from diagnose.render.text import preflight_lines

STAGES = {"stages": ("parameters", "placement", "loss", "gradients")}


def classifier(**changes):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    model[0].bias.requires_grad = False
    inputs, labels = torch.randn(24, 4), torch.arange(24) % 3
    batches = [(inputs[i : i + 8], labels[i : i + 8]) for i in range(0, 24, 8)]
    loss = nn.functional.cross_entropy
    facts = {"model": model, "train_batches": batches, "compute_loss": lambda m, b: loss(m(b[0]), b[1])}
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], 1e-3)
    return facts | {"optimizer": optimizer} | changes


@pytest.fixture(scope="module")
def report():
    return diagnose.preflight(progress=False, **classifier())


def lines(report, detail=Verbosity.NORMAL):
    return [text.plain for _, text in preflight_lines(Preflight(report), detail)]


def test_first_loss_gradient_norm_and_what_trains_are_two_lines(report):
    first = report.summary["first_loss"]["value"]
    norm = report.summary["first_gradients"]["norm"]
    assert f"Loss is normal: {first:.4g} (ln 3 = 1.099). Gradients OK: norm {norm:.4g}." in lines(report)
    assert "Trainable: 59 / 67 (88.1 %); float32 on cpu" in lines(report)
    assert first == pytest.approx(1.1, abs=0.3) and norm > 0.05


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        ((0.4, 0.4), "0.4 seconds"),
        ((40, 130), "0.7 to 2.2 minutes"),
        ((1000, 8000), "0.3 to 2.2 hours"),
        ((9e5, 2e6), "10 to 23 days"),
    ],
)
def test_the_expected_duration_is_a_range_in_a_unit_that_suits_it(seconds, told):
    found = {"updates": 1200, "measured": 3, "seconds": list(seconds)}
    ending = "without loading and evaluations (3 batches measured)"
    (line,) = [text.plain for _, text in all_summary_lines(Report((), summary={"run_duration": found}))]
    assert line == f"Expected: 1,200 updates in {told}, {ending}"


def test_the_duration_is_measured_where_the_number_of_updates_is_known(report):
    assert "run_duration" not in report.summary
    found = diagnose.preflight(progress=False, **classifier(total_steps=50)).summary["run_duration"]
    assert (found["updates"], found["measured"]) == (50, 3) and 0 < found["seconds"][0] <= found["seconds"][1]


def test_v_shows_names_devices_types_ranges_and_counts(report):
    text = "\n".join(lines(report, Verbosity.VERBOSE))
    assert "trainable tensors: 3: 0.weight, 2.weight, 2.bias" in text and "frozen tensors: 1: 0.bias" in text
    assert "devices: model cpu (4); batch cpu (2)" in text and "dtypes of parameters: float32 (4)" in text
    assert "batch[0]: shape [8, 4], float32, cpu, min -" in text
    assert "labels: 8 of 8 scored (not -100), 0: 3, 1: 3, 2: 2" in text
    assert "class distribution in 24 rows: 0: 8 (33.3%), 1: 8 (33.3%), 2: 8 (33.3%)" in text


def test_the_json_holds_the_numbers(report):
    summary = json.loads(report.to_json())["summary"]
    assert {"first_loss", "first_gradients", "parameters", "placement", "batch_values", "class_labels"} <= set(summary)
    assert summary["parameters"]["first_trainable"] == ["0.weight", "2.weight", "2.bias"]
    inputs, labels = summary["batch_values"]["tensors"]
    assert inputs["shape"] == [8, 4] and inputs["std"] == pytest.approx(1, abs=0.3) and labels["maximum"] == 2


def test_a_loss_that_is_not_normal_is_not_called_so():
    facts = classifier()
    scaled = facts["compute_loss"]
    report = diagnose.preflight(progress=False, **facts | {"compute_loss": lambda m, b: 1e4 * scaled(m, b)})
    found = [one for one in report.findings if one.stage == "loss" and one.severity is not Severity.NOTE]
    text = "\n".join(lines(report, Verbosity.VERBOSE))
    assert found and "Loss is normal" not in text and "Loss: 1.1" in text


def test_a_part_of_the_checks_does_not_measure_the_batch_for_the_summary():
    report = diagnose.preflight(progress=False, stages=("parameters",), **classifier())
    assert "parameters" in report.summary and "batch_values" not in report.summary
