"""The gate: a receipt that holds is accepted at once, anything else looks, and only a full go opens."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import click
import pytest

from diagnose import Finding, Stage
from diagnose.common.errors import InputError
from diagnose.engine.engine import engine_of, installed
from diagnose.engine.runner import ALL, Selection
from diagnose.gate import gate
from diagnose.gate.digests import DigestInputs, Digests
from diagnose.gate.output_folder import PreflightFolder, read_receipt
from diagnose.gate.receipt import Receipt
from diagnose.gate.receipt_diff import receipt_differences
from diagnose.gate.run_preflight import digest_inputs, run_and_write
from tests.support import fake_probes
from tests.support.fake_probes import passes, probe_of


class Run:
    """A run whose loss is a number in its configuration; counts how often the probes looked."""

    def __init__(self, folder):
        self.folder, self.looks, self.config = folder, 0, {"training": {"loss": 2.0}}
        self.manifest = folder / "train.csv"
        self.manifest.write_text("audio_path\na.wav\n")
        (folder / "a.wav").write_bytes(b"sound")

    @property
    def facts(self):
        inputs = DigestInputs(self.out, self.config, manifests=(self.manifest,), audio_files=(self.folder / "a.wav",))
        return {"model": self.config["training"]["loss"], "digest_inputs": inputs}

    @property
    def out(self):
        return self.folder / "out"

    @property
    def engine(self):
        def loss_is_zero(model):
            self.looks += 1
            if model == 0:
                yield Finding("batch 0", "the loss is 0, expected above 0", "look at the labels")

        return engine_of([probe_of("LOS001", loss_is_zero), passes("GRD001"), passes("LRN001"), passes("ENV001")])

    def ask(self, **options):
        return gate.decide(self.facts, engine=self.engine, **options)

    def preflight(self, selection):
        return run_and_write(self.engine, self.engine.context(self.facts), selection)


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def test_the_first_run_looks_and_the_second_accepts_the_receipt(run):
    first = run.ask()
    assert first.open and first.preflight and run.looks == 1
    assert first.reason == "go, checked now: this run has no receipt yet"
    second = run.ask()
    assert second.open and second.preflight is None and run.looks == 1
    assert second.reason.startswith("the receipt of ") and "go full" in second.reason


def test_no_go_refuses_with_1_and_leaves_the_report_alone_in_the_runs_directory(run):
    run.config["training"]["loss"] = 0.0
    refused = run.ask()
    assert (refused.open, refused.exit_code) == (False, 1)
    assert refused.reason == "no-go: LOS001 at batch 0: the loss is 0, expected above 0; fix: look at the labels"
    assert sorted(str(p.relative_to(run.out)) for p in run.out.rglob("*") if p.is_file()) == [
        "preflight/receipt.json",
        "preflight/report.html",
        "preflight/report.json",
    ]
    assert not run.ask().open and run.looks == 2


def test_inconclusive_refuses_with_2(run):
    engine = engine_of([passes("ENV001"), probe_of("LOS001", lambda train_rows: ())])
    refused = gate.decide(run.facts | {"train_rows": []}, engine=engine)
    assert (refused.open, refused.exit_code) == (False, 2)
    assert refused.reason == "inconclusive: LOS001 blocked: train_rows: it is empty"


def test_go_without_a_look_at_learning_is_inconclusive(run):
    engine = engine_of([passes("LOS001"), passes("GRD001"), probe_of("LRN001", lambda train_batches: ())])
    refused = gate.decide(run.facts, engine=engine)
    assert (refused.open, refused.exit_code) == (False, 2)
    assert refused.reason == "inconclusive: no probe of the stage learning could run"
    assert not gate.decide({"model": 1.0}, engine=engine).open


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda run: run.config["training"].update(loss=3.0), "configuration: training.loss was 2.0, is 3.0"),
        (lambda run: run.manifest.write_text("audio_path\nb.wav\n"), "train.csv: line 2 changed"),
        (lambda run: (run.folder / "a.wav").write_bytes(b"other sound"), "a.wav changed"),
    ],
)
def test_a_stale_receipt_looks_again_and_names_what_changed(run, change, named):
    run.ask()
    change(run)
    passage = run.ask()
    assert passage.open and run.looks == 2
    assert named in passage.reason and "is no longer valid" in passage.reason
    assert run.ask().preflight is None


def test_many_changes_are_counted_after_the_first_few(run):
    run.config["training"] |= {f"key{n}": 1 for n in range(9)}
    run.ask()
    run.config["training"] |= {f"key{n}": 2 for n in range(9)}
    assert run.ask().reason.endswith("training.key4 was 1, is 2; and 4 more")


def test_a_receipt_of_one_stage_opens_no_gate(run):
    run.preflight(Selection(stages=(Stage.ENVIRONMENT,)))
    assert not read_receipt(run.out).full
    passage = run.ask()
    assert passage.preflight and run.looks == 1
    assert "limited to some stages" in passage.reason


def test_a_look_at_one_stage_does_not_take_the_place_of_a_full_one_that_holds(run):
    run.ask()
    run.preflight(Selection(ids=("ENV001",)))
    assert run.ask().preflight is None and run.looks == 1
    run.config["training"]["loss"] = 4.0
    done = run.preflight(Selection(ids=("ENV001",)))
    assert not read_receipt(done.folder.path).full and read_receipt(run.out).full


def test_a_what_if_leaves_the_receipt_of_the_run_alone(run):
    run.ask()
    kept = (run.out / "preflight" / "receipt.json").read_bytes()
    run.config["training"]["loss"] = 0.0
    what_if = run.preflight(ALL)
    assert what_if.report.exit_code == 1
    assert what_if.folder.receipt.parent.parent == run.out / "preflight"
    assert (run.out / "preflight" / "receipt.json").read_bytes() == kept
    assert list(receipt_differences(read_receipt(run.out), read_receipt(what_if.folder.path)))[:2] == [
        "verdict: was go, is no-go",
        "configuration: training.loss was 2.0, is 0.0",
    ]
    run.config["training"]["loss"] = 2.0
    assert run.ask().reason.startswith("the receipt of ")


def test_a_run_with_other_settings_starts_with_the_receipt_of_their_what_if(run):
    run.ask()
    run.config["training"]["loss"] = 3.0
    run.preflight(ALL)
    smoke = run.ask(starts=False)
    assert smoke.preflight is None and read_receipt(run.out).digests.config == {"training.loss": 2.0}
    started = run.ask()
    assert started.preflight is None and run.looks == 2
    assert read_receipt(run.out).digests.config == {"training.loss": 3.0}


def test_a_no_go_gives_way_and_what_was_mended_since_is_told(run):
    run.config["training"]["loss"] = 0.0
    run.preflight(ALL)
    run.config["training"]["loss"] = 2.0
    mended = run.preflight(ALL)
    assert mended.folder.path == run.out / "preflight" and mended.since.resolved == (("LOS001", "batch 0"),)
    run.config["training"]["loss"] = 0.0
    again = run.preflight(ALL)
    assert again.folder.path != mended.folder.path and again.since.new == (("LOS001", "batch 0"),)


def test_a_smoke_run_that_skips_the_preflight_is_not_held_against_the_run(run):
    run.ask()
    assert run.ask(skip="a smoke run", starts=False).open
    assert not (run.out / "preflight" / "skipped.json").exists()


def test_a_copy_of_the_audio_keeps_the_receipt_and_other_content_does_not(run):
    run.ask()
    audio = run.folder / "a.wav"
    os.utime(audio, ns=(1, 1))
    assert run.ask().preflight is None and run.looks == 1
    run.preflight(Selection(ids=("ENV001",)))
    assert read_receipt(run.out).full
    audio.write_bytes(b"noise")
    assert run.ask().reason.endswith("a.wav changed") and run.looks == 2


def test_a_resumed_run_accepts_its_own_receipt_on_another_machine_but_not_with_another_configuration(run):
    run.ask()
    path = run.out / "preflight" / "receipt.json"
    kept = read_receipt(path)
    moved = replace(kept.digests, device="another", versions=kept.digests.versions | {"torch": "1.0"})
    path.write_text(replace(kept, digests=moved).to_json())
    assert run.ask(resumed=True).preflight is None
    assert "device: was another, is cpu" in run.ask().reason
    run.config["training"]["loss"] = 5.0
    assert run.ask(resumed=True).preflight is not None


def test_a_torn_receipt_is_looked_past(run):
    run.ask()
    (run.out / "preflight" / "receipt.json").write_text("{")
    passage = run.ask()
    assert passage.open and "not a readable receipt" in passage.reason


def test_skipping_needs_a_reason_and_records_it(run):
    passage = run.ask(skip="the cluster closes at noon")
    assert passage.open and run.looks == 0
    assert passage.reason == "skipped: the cluster closes at noon"
    recorded = json.loads((run.out / "preflight" / "skipped.json").read_text())
    assert recorded["reason"] == "the cluster closes at noon"
    with pytest.raises(InputError, match="needs a reason"):
        run.ask(skip="  ")


def test_ctrl_c_leaves_nothing_behind(run):
    def interrupted(model):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gate.decide(run.facts, engine=engine_of([passes("ENV001"), probe_of("LOS001", interrupted)]))
    assert not run.out.exists()


def test_without_digest_inputs_the_gate_looks_every_time_and_writes_nothing(run):
    for _ in range(2):
        passage = gate.decide({"model": 1.0}, engine=run.engine)
        assert passage.open and passage.preflight.receipt is None
    assert run.looks == 2 and not run.out.exists()


def test_a_command_ends_with_the_verdicts_exit_code(run, monkeypatch, capsys):
    monkeypatch.setattr(gate, "installed", lambda: run.engine)
    assert gate.require_go(run.facts).startswith("go, checked now: ")
    run.config["training"]["loss"] = 0.0
    with pytest.raises(click.exceptions.Exit) as refused:
        gate.require_go(run.facts)
    assert refused.value.exit_code == 1
    said = capsys.readouterr()
    assert "preflight: the receipt of" in said.err and "training.loss was 2.0, is 0.0" in said.err
    assert "the run does not start: no-go: LOS001" in said.err and "DO NOT START TRAINING" in said.err
    assert said.out == ""


def test_a_report_that_cannot_be_kept_is_told_all_the_same(run):
    run.out.write_text("a file where the folder should be")
    passage = run.ask()
    assert passage.open and "cannot be written" in passage.preflight.unwritten


class Trained:
    """A run of our own trainer, as far as a receipt looks at it: configuration, two splits, audio."""

    def __init__(self, root):
        self.root = root
        (root / "splits").mkdir()
        for split in ("train", "dev"):
            rows = "".join(f"{split}{n}.wav,xin chào {n},hello {n},1.0,v{n}\n" for n in range(3))
            header = "audio_path,transcript,translation,duration,video_id\n"
            (root / "splits" / f"{split}.csv").write_text(header + rows)
            for n in range(3):
                (root / f"{split}{n}.wav").write_bytes(b"sound")

    def context(self, *overrides):
        from trainer.config import load
        from trainer.paths import shipped_config

        places = [f"paths.data_root={self.root}", "paths.splits_dir=splits", f"output.dir={self.root}/out"]
        return installed().context({"config": load(shipped_config("demo_hybrid"), [*places, *overrides])})

    def vouch(self):
        report = fake_probes.examine([passes("LOS001"), passes("GRD001"), passes("LRN001")])
        receipt = Receipt.of(report, Digests.of(digest_inputs(self.context())))
        PreflightFolder(self.root / "out" / "preflight").write(report, receipt)


@pytest.fixture
def trained(tmp_path):
    trained = Trained(tmp_path)
    trained.vouch()
    return trained


def test_a_run_of_the_trainer_keeps_its_receipt_until_something_changes(trained):
    assert isinstance(gate.valid_receipt(trained.context()), Receipt)
    changed = gate.valid_receipt(trained.context("training.learning_rate=0.5"))
    assert "is no longer valid: configuration: training.learning_rate was " in changed and changed.endswith(", is 0.5")
    train = trained.root / "splits" / "train.csv"
    train.write_text(train.read_text().replace("hello 1", "good day"))
    assert gate.valid_receipt(trained.context()).endswith(f"manifest {train}: line 3 changed")
    trained.vouch()
    (trained.root / "dev2.wav").write_bytes(b"another sound")
    assert gate.valid_receipt(trained.context()).endswith(f"audio: {trained.root / 'dev2.wav'} changed")


@pytest.mark.parametrize("override", ["training.logging_steps=7", "output.experiment_name=other"])
def test_a_setting_that_no_check_reads_keeps_the_receipt(trained, override):
    assert isinstance(gate.valid_receipt(trained.context(override)), Receipt)
    before, after = (context.get_or_none("run_settings") for context in (trained.context(), trained.context(override)))
    assert before == after is not None


def test_source_of_every_package_that_decides_is_vouched_for(trained):
    code = read_receipt(trained.root / "out").digests.code
    files = ("diagnose/gate/gate.py", "trainer/facts/model_facts.py", "trainer/loop/loss.py")
    for file in (*files, "probes/loss/loss_is_not_finite.py"):
        assert file in code


def test_asking_a_receipt_that_holds_imports_no_torch(trained):
    script = (
        "import sys; from pathlib import Path; from diagnose.gate import gate\n"
        "from tests.diagnose.gate.test_gate import Trained\n"
        f"t = Trained.__new__(Trained); t.root = Path({str(trained.root)!r})\n"
        "told = gate.valid_receipt(t.context())\n"
        "print(told if isinstance(told, str) else 'holds', 'torch' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ran.stdout == "holds False\n", ran.stderr
