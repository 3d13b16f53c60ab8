"""The gate: a receipt that holds is accepted at once, anything else looks, and only a full go opens."""

import json

import pytest

from diagnose import Finding, Stage, gate
from diagnose.conduct import examine
from diagnose.digests import DigestInputs
from diagnose.engine import of
from diagnose.errors import InputError
from diagnose.folder import read_receipt
from diagnose.runner import Selection
from tests.probing import passes, probe_of


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

        return of([probe_of("LOS001", loss_is_zero), passes("GRD001"), passes("LRN001"), passes("ENV001")])

    def ask(self, **options):
        return gate.ask(self.facts, engine=self.engine, **options)

    def preflight(self, selection):
        return examine(self.engine, self.engine.context(self.facts), selection)


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def test_the_first_run_looks_and_the_second_accepts_the_receipt(run):
    first = run.ask()
    assert first.open and first.preflight and run.looks == 1
    second = run.ask()
    assert second.open and second.preflight is None and run.looks == 1
    assert second.reason.startswith("preflight: receipt of ") and "go full" in second.reason


def test_no_go_refuses_with_1_and_leaves_the_report_alone_in_the_runs_directory(run):
    run.config["training"]["loss"] = 0.0
    refused = run.ask()
    assert (refused.open, refused.exit_code) == (False, 1)
    assert refused.reason == "no-go: LOS001 at batch 0: the loss is 0, expected above 0; fix: look at the labels"
    assert sorted(str(p.relative_to(run.out)) for p in run.out.rglob("*") if p.is_file()) == [
        "preflight/receipt.json",
        "preflight/report.json",
    ]
    assert not run.ask().open and run.looks == 2


def test_cannot_vouch_refuses_with_2(run):
    engine = of([passes("ENV001"), probe_of("LOS001", lambda train_rows: ())])
    refused = gate.ask(run.facts | {"train_rows": []}, engine=engine)
    assert (refused.open, refused.exit_code) == (False, 2)
    assert refused.reason == "cannot vouch: LOS001 blocked: train_rows: it is empty"


def test_go_without_a_look_at_learning_cannot_vouch(run):
    engine = of([passes("LOS001"), passes("GRD001"), probe_of("LRN001", lambda train_batches: ())])
    refused = gate.ask(run.facts, engine=engine)
    assert (refused.open, refused.exit_code) == (False, 2)
    assert refused.reason == "cannot vouch: no probe of the stage learning could look"


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
    assert named in passage.reason and "no longer holds" in passage.reason
    assert run.ask().preflight is None


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
    run.preflight(Selection(ids=("ENV001",)))
    assert not read_receipt(run.out).full


def test_a_resumed_run_accepts_its_own_receipt_on_another_machine_but_not_with_another_configuration(run):
    run.ask()
    path = run.out / "preflight" / "receipt.json"
    kept = json.loads(path.read_text())
    path.write_text(json.dumps(kept | {"device": "another", "versions": {"torch": "1.0"}}))
    assert run.ask(resumed=True).preflight is None
    assert "device: was another, is cpu" in run.ask().reason
    run.config["training"]["loss"] = 5.0
    assert run.ask(resumed=True).preflight is not None


def test_a_torn_receipt_is_looked_past(run):
    run.ask()
    (run.out / "preflight" / "receipt.json").write_text("{")
    passage = run.ask()
    assert passage.open and "no receipt that can be read" in passage.reason


def test_skipping_needs_a_reason_and_records_it(run):
    passage = run.ask(skip="the cluster closes at noon")
    assert passage.open and run.looks == 0
    assert passage.reason == "preflight skipped: the cluster closes at noon"
    recorded = json.loads((run.out / "preflight" / "skipped.json").read_text())
    assert recorded["reason"] == "the cluster closes at noon"
    with pytest.raises(InputError, match="needs a reason"):
        run.ask(skip="  ")


def test_ctrl_c_leaves_nothing_behind(run):
    def interrupted(model):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gate.ask(run.facts, engine=of([passes("ENV001"), probe_of("LOS001", interrupted)]))
    assert not run.out.exists()


def test_without_digest_inputs_the_gate_looks_every_time_and_writes_nothing(run):
    for _ in range(2):
        passage = gate.ask({"model": 1.0}, engine=run.engine)
        assert passage.open and passage.preflight.receipt is None
    assert run.looks == 2 and not run.out.exists()
