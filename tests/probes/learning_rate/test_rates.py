"""The learning rate at the height of its schedule: too high, too low, or neither; and the range between."""

import pytest
from torch.optim import LBFGS, SGD, AdamW
from torch.optim.lr_scheduler import LambdaLR

import diagnose
from diagnose.engine.engine import installed
from diagnose.render.overfit import extra_lines
from probes.facts.first_step.types import FirstStep
from probes.facts.learning_rate.types import RateRun, RateTrial
from probes.faults.kit.forward_changes import usual_loss
from probes.faults.kit.memorized_model import memorized
from probes.healthy import healthy
from probes.learning.learning_rate_is_too_high import learning_rate_is_too_high
from probes.learning.learning_rate_is_too_low import learning_rate_is_too_low
from tests.support.state_picture import picture


def classifier(rate, kind=AdamW, seed=0, **more):
    facts = healthy("classifier", seed)
    return {**facts, "optimizer": kind(facts["model"].parameters(), lr=rate), **more}


def found(facts):
    report = diagnose.preflight(select=["LRN02*"], **facts)
    assert report.verdict in ("go", "no-go"), report.headline
    return [finding.probe for finding in report.findings]


@pytest.mark.parametrize("seed", range(4))
def test_a_rate_is_too_high_too_low_or_neither(seed):
    for rate in (1e-4, 1e-3, 1e-2):
        assert found(classifier(rate, seed=seed)) == []
    assert found(classifier(1.0, seed=seed)) == ["LRN020"]
    assert found(classifier(1e-7, seed=seed)) == ["LRN021"]
    assert found(classifier(0.0, seed=seed)) == ["LRN021"]


def test_plain_gradient_descent_has_rates_of_its_own():
    assert found(classifier(0.1, SGD)) == [] and found(classifier(1e3, SGD)) == ["LRN020"]


def test_a_small_rate_is_judged_by_the_whole_run():
    assert found(classifier(2e-7, total_steps=100_000)) == []
    assert found(classifier(2e-7, total_steps=100)) == ["LRN021"]


def test_the_peak_of_the_schedule_counts_and_not_the_rate_of_the_warm_up():
    facts = classifier(1.0, total_steps=1000)  # the schedule makes 0.003 of it at most
    schedule = LambdaLR(facts["optimizer"], lambda step: 3e-3 * min(1.0, (step + 1) / 500))
    context = installed().context({**facts, "scheduler": schedule})
    trial = context.get("rate_trial")
    assert trial.rate == pytest.approx(3e-3) and trial.warmed
    assert found({**facts, "scheduler": schedule}) == []


def test_a_model_that_has_learnt_already_is_no_alarm():
    facts = memorized(healthy("mt5"))
    for rate in (1e-5, 1e-3):
        facts["optimizer"] = AdamW(facts["model"].parameters(), lr=rate)
        assert found(facts) == []


@pytest.mark.parametrize(("name", "precision"), [("classifier", "fp32"), ("hybrid", "bf16")])
def test_everything_is_as_it_was(name, precision):
    facts = {**healthy(name), "precision": precision}
    usual_loss(facts)(facts["model"], next(iter(facts["train_batches"]))).backward()
    facts["optimizer"].step()
    parts = (facts["model"], facts["optimizer"])
    before = picture(*parts)
    context = installed().context(facts)
    trial, sweep = context.get("rate_trial"), context.get("rate_sweep")
    assert trial.peak.updates == 20 and trial.precision == precision
    assert sweep.low < sweep.high and len(sweep.rates) == len(sweep.losses)
    assert picture(*parts) == before


def test_a_sweep_ends_where_the_loss_runs_away_and_names_a_range_that_learns():
    sweep = installed().context(classifier(1e-2)).get("rate_sweep")
    assert 1e-4 < sweep.low < sweep.high < 1 and sweep.configured == 1e-2


def test_what_cannot_be_walked_is_skipped_with_its_reason():
    (outcome,) = diagnose.preflight(select=["LRN020"], **classifier(1.0, LBFGS)).outcomes
    assert outcome.status == "skipped" and "LBFGS" in outcome.reason


def test_a_slow_machine_changes_no_verdict():
    slow = FirstStep(forward_seconds=200.0, backward_seconds=400.0)
    (outcome,) = diagnose.preflight(select=["LRN020"], first_step=slow, **classifier(1.0)).outcomes
    assert outcome.status == "found"


def test_the_command_prints_pairs_walks_and_the_range():
    facts = installed().context(classifier(1e-3, pairs_requested=True))
    text = "\n".join(extra_lines(facts, pairs=True, rates=True))
    for told in ("pairs: linear regression, 60 rows", "right pairs", "learning rate: 0.001", "suggested:", "inside"):
        assert told in text
    left = "\n".join(extra_lines(installed().context({"model": facts.get("model")}), pairs=True, rates=False))
    assert "learning rate: skipped: not given: train_batches" in left


def test_values_that_are_not_finite_are_told_so():
    peak = RateRun(1.0, 5, (6.0, float("nan")), sound=False)
    tenth = RateRun(0.1, 20, (6.0, 5.0), (5.0,))
    (finding,) = learning_rate_is_too_high(RateTrial(0.3, peak, tenth))
    assert "to NaN or Inf" in finding.message and "0.03 or less" in finding.fix


def test_a_loss_that_leaps_on_the_way_but_knows_its_labels_is_no_alarm():
    """A pretrained model whose loss rises at first, far below what ignorance gives."""
    peak, tenth = RateRun(1.0, 20, (0.5, 0.7, 0.6), (0.6,)), RateRun(0.1, 20, (0.5, 0.45, 0.4), (0.4,))
    assert not list(learning_rate_is_too_high(RateTrial(1e-4, peak, tenth, floor=5.0)))


def test_nothing_is_said_of_a_rate_where_no_rate_learns():
    still = RateRun(1.0, 20, (5.0, 5.0), (5.0,))
    assert not list(learning_rate_is_too_low(RateTrial(1e-3, still, more=still, total=100)))


def test_a_margin_that_one_batch_keeps_by_chance_hides_no_rate_that_is_too_high():
    peak = RateRun(1.0, 20, (0.6, 93.0, 0.0), (0.0, 183.0, 25.0))
    low = RateRun(0.01, 20, (0.6, 0.1, 0.003), (0.006, 0.02, 0.05))
    assert list(learning_rate_is_too_high(RateTrial(2.0, peak, low)))


def test_a_bounded_loss_that_rises_first_while_a_lower_rate_is_ahead_on_all_batches():
    peak, low = RateRun(1.0, 20, (3.3, 4.4, 3.2), (3.2, 3.3)), RateRun(0.1, 20, (3.3, 2.9, 2.4), (2.4, 2.3))
    assert list(learning_rate_is_too_high(RateTrial(3.0, peak, low)))
    even = RateRun(1.0, 20, (3.3, 3.3, 3.2), (3.2, 3.3))
    assert not list(learning_rate_is_too_high(RateTrial(3.0, even, low)))
