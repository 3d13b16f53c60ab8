"""The config stage: settings are read in any form, schedules are played through, and what is sound is left alone."""

import argparse
from pathlib import Path

import pytest
import torch
from torch.optim import lr_scheduler as schedules
from transformers import EarlyStoppingCallback, Seq2SeqTrainer, Seq2SeqTrainingArguments, get_scheduler

import diagnose
from probes.config.greater_is_better_is_wrong import low_is_better
from probes.config.lr_schedule_length_differs import lr_schedule_length_differs
from probes.config.lr_schedule_never_changes import lr_schedule_never_changes
from probes.config.warmup_is_longer_than_run import warmup_is_longer_than_run
from probes.facts.learning_rate.play_schedule import play_schedule
from probes.facts.settings.arguments_file import Unreadable, read_arguments
from probes.facts.settings.run_settings import settings_of_arguments
from probes.facts.settings.trainer_facts import _moments
from probes.facts.settings.types import UpdateCount
from probes.healthy import NAMES, healthy
from tests.support.hf_trainers import trainer_of
from tests.support.state_picture import picture

CONFIGS = Path(__file__).parents[3] / "configs"
JUDGES = (warmup_is_longer_than_run, lr_schedule_never_changes, lr_schedule_length_differs)


def optimizer(**more):
    groups = [{"params": [torch.nn.Parameter(torch.zeros(2))]}, {"params": [torch.nn.Parameter(torch.zeros(1))]}]
    return torch.optim.AdamW(groups, lr=1e-3, **more)


def named(name, warmup, updates, **options):
    return lambda opt: get_scheduler(name, opt, warmup, updates, scheduler_specific_kwargs=options or None)


def in_a_row(opt):
    parts = [schedules.LinearLR(opt, 0.01, total_iters=10), schedules.CosineAnnealingLR(opt, 90)]
    return schedules.SequentialLR(opt, parts, [10])


SOUND = {
    "linear": named("linear", 10, 100),
    "no warm-up": named("linear", 0, 100),
    "cosine": named("cosine", 10, 100),
    "restarts": named("cosine_with_restarts", 10, 100, num_cycles=3),
    "polynomial": named("polynomial", 10, 100, power=2.0),
    "constant": named("constant", 0, 100),
    "warm-up, then constant": named("constant_with_warmup", 99, 100),
    "inverse root": named("inverse_sqrt", 10, 100),
    "stable, then decay": named("warmup_stable_decay", 10, 100, num_decay_steps=20),
    "annealing": lambda opt: schedules.CosineAnnealingLR(opt, 100),
    "one cycle": lambda opt: schedules.OneCycleLR(opt, 1e-3, total_steps=100),
    "steps": lambda opt: schedules.StepLR(opt, 30),
    "two in a row": in_a_row,
    "a constant of one's own": lambda opt: schedules.LambdaLR(opt, lambda step: 1.0),
    "a little longer": named("linear", 10, 120),
}
UNSOUND = {
    "warm-up of 2,000": (named("linear", 2000, 100), {"CFG003": "error"}),
    "warm-up of 150": (named("constant_with_warmup", 150, 100), {"CFG003": "warning"}),
    "nought": (lambda opt: schedules.LambdaLR(opt, lambda step: 0.0), {"CFG004": "error"}),
    "steps of epochs": (lambda opt: schedules.StepLR(opt, 3000), {"CFG004": "warning"}),
    "for a quarter": (named("linear", 2, 25), {"CFG005": "error"}),
    "for three quarters": (named("linear", 2, 75), {"CFG005": "warning"}),
    "for four times": (named("cosine", 10, 400), {"CFG005": "warning"}),
    "for epochs": (lambda opt: schedules.CosineAnnealingLR(opt, 3), {"CFG005": "warning"}),
    "stepped too often": (lambda opt: schedules.OneCycleLR(opt, 1e-3, total_steps=50), {"CFG005": "error"}),
}


def judged(make, pace=1, updates=100):
    curve = play_schedule(make(optimizer()), updates, pace)
    found = [(judge, finding) for judge in JUDGES for finding in judge(curve)]
    return {judge.id: str(finding.severity or judge.severity) for judge, finding in found}


@pytest.mark.parametrize("name", SOUND)
def test_sound_schedules_are_left_alone_whoever_steps_them(name):
    assert judged(SOUND[name]) == {} and judged(SOUND[name], pace=None) == {}


@pytest.mark.parametrize("name", UNSOUND)
def test_unsound_schedules_are_named(name):
    make, expected = UNSOUND[name]
    assert judged(make) == expected


def test_a_schedule_that_may_be_stepped_by_epochs_is_only_noted():
    for name in ("for a quarter", "for epochs", "stepped too often"):
        assert judged(UNSOUND[name][0], pace=None) == {"CFG005": "note"}
    assert judged(SOUND["linear"], pace=4) == {"CFG005": "error"}


@pytest.mark.parametrize("make", [*SOUND.values(), *(make for make, _ in UNSOUND.values())])
def test_the_schedule_and_its_optimiser_do_not_move(make):
    opt = optimizer()
    scheduler = make(opt)
    before = [{k: v for k, v in group.items() if k != "params"} for group in opt.param_groups]
    state = {k: v for k, v in scheduler.state_dict().items() if not k.startswith("_schedulers")}
    play_schedule(scheduler, 100, 1)
    assert [{k: v for k, v in group.items() if k != "params"} for group in opt.param_groups] == before
    assert {k: v for k, v in scheduler.state_dict().items() if not k.startswith("_schedulers")} == state
    assert scheduler.optimizer is opt and not opt.state


def test_playing_gives_the_rates_of_stepping():
    opt = optimizer()
    scheduler = named("cosine", 10, 100)(opt)
    rates = []
    for _ in range(100):
        rates.append(opt.param_groups[0]["lr"])
        opt.step()
        scheduler.step()
    curve = play_schedule(named("cosine", 10, 100)(optimizer()), 100, 1)
    assert (curve.first, curve.peak, curve.end) == (rates[0], max(rates), rates[-1])
    assert curve.peak_at == rates.index(max(rates)) + 1 and (curve.length, curve.warmup) == (100, 10)


@pytest.mark.parametrize("delay", [0, 1, 7, 30, 200])
@pytest.mark.parametrize("every", [1, 7, 25, 100, 150, 0.25])
def test_moments_are_counted_as_a_trainer_meets_them(every, delay):
    steps = int(every) if every >= 1 else 25
    due = [step for step in range(1, 101) if step % steps == 0 and step >= delay]
    moments = _moments("steps", every, delay, UpdateCount(100), "transformers")
    assert moments.count == len(due) and moments.once_more_at_end == (100 % steps != 0 and delay <= 100)
    assert not _moments("steps", every, delay, UpdateCount(100), "other").once_more_at_end


@pytest.mark.parametrize(
    ("metric", "low"),
    [
        *((name, True) for name in ("wer", "eval_cer", "eval_loss", "eval_test_wer")),
        *((name, False) for name in ("bleu", "eval_rougeL", "dev-f1", "accuracy")),
        *((name, None) for name in ("my_score", "lower")),
    ],
)
def test_the_direction_of_a_metric_is_told_by_whole_words(metric, low):
    assert low_is_better(metric) is low


def findings(**facts):
    report = diagnose.preflight(stages=["config"], **facts)
    assert not [outcome for outcome in report.outcomes if outcome.status == "crashed"], report.headline
    return {finding.probe: finding for finding in report.findings}


def alarms(**facts):
    return {id: str(finding.severity) for id, finding in findings(**facts).items() if finding.severity != "note"}


def test_names_of_transformers_4_are_told_with_what_took_their_place():
    found = findings(training_arguments={"output_dir": "o", "warmup_ratio": 0.1, "max_steps": 9})
    assert "warmup_steps" in found["CFG001"].fix and "CFG003" not in found
    report = diagnose.preflight(
        stages=["config"],
        training_arguments={"output_dir": "o", "learning_rte": 1e-4, "max_steps": 9, "my_own_switch": 1, "seed": 1},
    )
    told = {finding.where: str(finding.severity) for finding in report.findings if finding.probe == "CFG001"}
    assert told == {"training_arguments.learning_rte": "warning", "training_arguments.my_own_switch": "note"}


def test_an_attribute_that_nobody_reads_is_told_and_others_are_not(tmp_path):
    arguments = Seq2SeqTrainingArguments(str(tmp_path), use_cpu=True, report_to="none", max_steps=5)
    assert "CFG001" not in findings(training_arguments=arguments)
    arguments.mine, arguments.evaluation_strategy = 1, "steps"
    assert findings(training_arguments=arguments)["CFG001"].where == "training_arguments.evaluation_strategy"


def test_arguments_of_ones_own_loop_are_not_measured_by_transformers():
    plain = argparse.Namespace(lr=1e-3, epochs=3, batch_size=8, hidden=64, seed=1)
    assert alarms(training_arguments=plain, total_steps=100) == {}
    settings = settings_of_arguments(plain)
    assert (settings.kind, settings.learning_rate, settings.epochs, settings.batch_size) == ("other", 1e-3, 3.0, 8)
    assert settings.save_strategy is None and settings.eval_strategy is None


@pytest.mark.parametrize(
    "nonsense",
    [
        {"learning_rate": object(), "max_steps": "many"},
        {5: 1, None: 2},
        {"seed": float("nan")},
        object(),
        [1, 2],
        "text",
        {"max_steps": -3, "save_steps": 0, "eval_strategy": 7, "output_dir": None},
        {"max_steps": 10**12},
    ],
)
def test_nonsense_never_crashes(nonsense):
    findings(training_arguments=nonsense)
    findings(training_arguments=nonsense, total_steps=10**12, scheduler=object())
    findings(training_arguments=nonsense, total_steps=-1, scheduler=schedules.ReduceLROnPlateau(optimizer()))


def test_a_yaml_of_another_trainer_is_read_with_its_lines(tmp_path):
    path = tmp_path / "train.yaml"
    path.write_text(
        "data: {rows: 5}\ntrainer:\n  output_dir: out\n  learning_rate: 1e-4\n  evaluation_strategy: steps\n"
    )
    found = findings(config_path=path)
    assert (found["CFG001"].file, found["CFG001"].line) == (str(path), 5)
    assert (found["CFG020"].line, found["CFG020"].measured["text"]) == (4, "1e-4")
    path.write_text("data: {rows: 5}\n")
    assert read_arguments(path) is None


@pytest.mark.parametrize("content", ["a: [", "x" * 300_000, "\n".join(["a0: &a0 [1]", *["b: *a0"] * 30]), "\0"])
def test_a_file_that_is_no_configuration_is_refused(tmp_path, content):
    (tmp_path / "c.yaml").write_text(content)
    with pytest.raises(Unreadable):
        read_arguments(tmp_path / "c.yaml")


def stock(folder, name="mt5", callbacks=(), **more):
    facts = healthy(name)
    facts["model"].accepts_loss_kwargs = False
    given = {"max_steps": 40, "eval_strategy": "steps", "eval_steps": 10, "save_steps": 10, "warmup_steps": 4}
    given |= {"use_cpu": True, "report_to": "none", "remove_unused_columns": False, "load_best_model_at_end": True}
    return Seq2SeqTrainer(
        facts["model"],
        Seq2SeqTrainingArguments(str(folder), **given | more),
        facts["collate"],
        train_dataset=facts["train_dataset"],
        eval_dataset=facts["train_dataset"],
        processing_class=facts["tokenizer"],
        callbacks=list(callbacks),
    )


def test_a_sound_trainer_is_left_alone_and_untouched(tmp_path):
    trainer = stock(tmp_path, callbacks=[EarlyStoppingCallback(2)])
    before = picture(trainer.model)
    assert alarms(trainer=trainer) == {} and picture(trainer.model) == before
    assert trainer.optimizer is None and trainer.lr_scheduler is None


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"warmup_steps": 900}, {"CFG003": "error"}),
        ({"metric_for_best_model": "wer"}, {"CFG006": "error", "CFG007": "error"}),
        ({"eval_steps": 50, "save_steps": 50}, {"CFG013": "warning"}),
        ({"predict_with_generate": True, "generation_max_length": 3}, {"CFG009": "error"}),
        ({"gradient_checkpointing": True}, {}),
    ],
)
def test_what_is_wrong_with_a_trainer_is_named(tmp_path, more, expected):
    assert alarms(trainer=stock(tmp_path, **more)) == expected


def test_patience_is_read_from_the_callbacks(tmp_path):
    trainer = stock(tmp_path, callbacks=[EarlyStoppingCallback(4)])
    assert alarms(trainer=trainer) == {"CFG016": "warning"}
    assert "CFG015" in findings(trainer=stock(tmp_path))


@pytest.mark.parametrize("name", NAMES)
def test_a_healthy_subject_with_sound_arguments_is_left_alone(name):
    arguments = {"output_dir": "out", "max_steps": 100, "save_steps": 25, "warmup_steps": 0.1, "seed": 1}
    assert alarms(**healthy(name), training_arguments=arguments) == {}


@pytest.mark.parametrize(
    "path", sorted(CONFIGS.glob("d*_*.yaml")) + sorted(CONFIGS.glob("prod_*.yaml")), ids=lambda p: p.stem
)
def test_every_configuration_is_judged_without_its_model(tmp_path, monkeypatch, path):
    """Nothing is there but the file: what needs data or weights is blocked, what needs neither is not."""
    from trainer.config import load

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    report = diagnose.preflight(stages=["config"], config=load(path, ["training.max_steps=4000"]))
    looked = {outcome.probe for outcome in report.outcomes if outcome.ran}
    needed = {
        "CFG003",
        "CFG004",
        "CFG005",
        "CFG006",
        "CFG007",
        "CFG008",
        "CFG013",
        "CFG014",
        "CFG016",
        "CFG017",
        "CFG021",
    }
    assert needed <= looked and not [outcome for outcome in report.outcomes if outcome.status == "crashed"]
    told = {finding.probe for finding in report.findings if finding.severity != "note"}
    expected = {"dev_e2e": {"CFG018", "CFG019"}, "dev_whisper": {"CFG019"}, "dev_whisper_base": {"CFG019"}}.get(
        path.stem, set()
    )
    assert told == expected - ({"CFG019"} if torch.accelerator.is_available() else set())


def test_a_trainer_that_keeps_other_columns_is_asked_which(tmp_path):
    class Keeping(Seq2SeqTrainer):
        def _set_signature_columns_if_needed(self):
            self._signature_columns = ["audio", "sample_rate", "transcript"]

    def told(kind):
        trainer = trainer_of(tmp_path, trainer=kind, remove_unused_columns=True)
        report = diagnose.preflight(select=["CFG002"], trainer=trainer)
        assert trainer._signature_columns is None
        return [finding.probe for finding in report.findings]

    assert told(Keeping) == [] and told(Seq2SeqTrainer) == ["CFG002"]
