"""`diagnose overfit`: the curve, the floors, the verdict, the exit code."""

import json

import pytest
from click.testing import CliRunner

from diagnose.cli import main
from diagnose.render.overfit import overfit_lines
from diagnose.render.sparkline import sparkline
from probes.facts.overfit.types import OverfitResult

HEALTHY = 'from probes.healthy import healthy\n\n\ndef facts():\n    return healthy("classifier")\n'
BROKEN = (
    "from probes.faults.loss.loss_deaf_to_input import loss_deaf_to_input\nfrom probes.healthy import healthy\n\n\n"
    'def facts():\n    return loss_deaf_to_input.inject(healthy("classifier"))\n'
)


@pytest.fixture
def ask(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def ask(name, source, *more):
        (tmp_path / f"{name}.py").write_text(source)
        return CliRunner().invoke(main, ["overfit", "--subject", f"{name}:facts", *more])

    return ask


def test_a_healthy_run_shows_its_curve_and_the_floors(ask, tmp_path):
    done = ask("sound_run", HEALTHY, "--json", str(tmp_path / "report.json"))
    assert done.exit_code == 0, done.output
    assert "verdict: learns from its input, 100% of " in done.output and "█" in done.output
    for floor in ("ln V", "unigram entropy", "with the inputs swapped", "dropout, masking and augmentation"):
        assert floor in done.output
    report = json.loads((tmp_path / "report.json").read_text())
    figure = report["figures"]["overfit_curve"]
    assert report["verdict"] == "go" and figure["verdict"] == "learns from its input"
    assert len(figure["curve"]) == figure["updates"] and figure["book"] < figure["blind"] < figure["swapped_book"]
    assert report["figures"]["rate_trial"]["peak"]["losses"] and report["figures"]["rate_sweep"]["rates"]


def test_a_deaf_run_ends_with_1_and_names_it(ask):
    done = ask("deaf_run", BROKEN)
    assert done.exit_code == 1 and "LRN007 error" in done.output
    assert "verdict: learns only the label frequencies" in done.output


def test_one_row_that_batch_norm_refuses_is_a_reason_and_no_verdict(ask):
    source = HEALTHY.replace(
        'return healthy("classifier")',
        'facts = healthy("classifier")\n    x, y = next(iter(facts["train_batches"]))\n'
        '    return {**facts, "train_batches": [(x[:1], y[:1])]}',
    )
    done = ask("lonely_run", source)
    assert "verdict: inconclusive: ValueError: Expected more than 1 value" in done.output and done.exit_code == 2


def test_what_was_not_learnt_to_the_end_is_a_reason_and_no_verdict():
    run = OverfitResult("batch 0", 3, (5.0, 4.0), 1.0, "still falling", 0.01)
    assert "verdict: cannot be said: still falling; 2 updates" in "\n".join(overfit_lines(run))


def test_a_sparkline_has_a_bar_for_each_value_up_to_its_width():
    assert sparkline([3.0, 2.0, 1.0, 0.0]) == "█▆▃▁" and len(sparkline(range(500))) <= 48
    assert sparkline([1.0, float("nan"), 0.0]) == "█×▁" and sparkline([2.0, 2.0]) == "▁▁"
