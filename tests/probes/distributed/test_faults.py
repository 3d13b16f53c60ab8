"""Several processes of one run, started for real: what they draw, hold and gather, and what is left behind."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pytest
import torch
from click.testing import CliRunner
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset, TensorDataset
from torch.utils.data.distributed import DistributedSampler

import diagnose
from diagnose.cli import main
from diagnose.drill.results import TrialStatus
from diagnose.drill.trial import healthy_trial, trial
from diagnose.engine import discovery
from diagnose.engine.engine import installed
from probes.facts.distributed import hang_watch
from probes.facts.distributed.process_group import answers_of
from probes.facts.distributed.ranks import look_at_ranks
from probes.healthy import NAMES, healthy

FAULTS = [fault for fault in discovery.faults().items if fault.probe_id.startswith("DST")]
ROWS = TensorDataset(torch.randn(17, 4), torch.arange(17) % 2)


def look(rank_facts, processes=2, **more):
    """The findings of the stage, and why a probe did not look."""
    report = diagnose.preflight(stages=["distributed"], rank_facts=rank_facts, processes=processes, **more)
    assert not [outcome for outcome in report.outcomes if outcome.status == "crashed"], report.outcomes
    return report.findings, {outcome.probe: outcome.reason_chain for outcome in report.outcomes if not outcome.ran}


def loss_of(model, batch):
    return cross_entropy(model(batch[0]), batch[1])


def shared(rank, processes, rows=ROWS):
    return DataLoader(rows, batch_size=2, sampler=DistributedSampler(rows, processes, rank))


def healthy_rank(rank, processes, **more):
    model = nn.Linear(4, 2)  # of another seed in each process: the wrap sends those of rank 0
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = shared(rank, processes)
    return {"model": model, "train_batches": batches, "compute_loss": loss_of, "optimizer": optimizer, **more}


@pytest.mark.parametrize("name", NAMES)
def test_a_healthy_subject_in_two_processes_gives_no_finding_and_every_probe_looks(name):
    findings, unlooked = look(**only(healthy(name)))
    assert not findings and not unlooked


def only(facts):
    return {"rank_facts": facts["rank_facts"]}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_fault_is_named(fault):
    facts = fault.inject(healthy("hybrid"))
    assert fault.is_present(facts) and not fault.is_present(healthy("hybrid"))
    findings, _ = look(**only(facts))
    assert {finding.probe for finding in findings} == {fault.probe_id}


def test_weights_that_differ_before_the_wrap_are_harmless():
    ranks = look_at_ranks(lambda rank, processes: healthy_rank(rank, processes), 2).ranks
    drawn = answers_of(lambda rank, processes: float(nn.Linear(4, 2).weight.sum()), 2)
    assert drawn[0] != drawn[1], "processes of a real run begin apart"
    assert len({rank.steps for rank in ranks}) == 1 and all(w.before != w.after for w in ranks[0].steps.weights)
    findings, unlooked = look(healthy_rank)
    assert not findings and unlooked == {"DST005": "distributed_evaluation: not given: evaluate"}


def test_without_the_facts_it_is_skipped_by_name():
    report = diagnose.preflight(stages=["distributed"], **healthy("classifier"))
    assert {outcome.reason for outcome in report.outcomes} == {"not given: processes"}
    report = diagnose.preflight(stages=["distributed"], model=nn.Linear(2, 2), processes=2)
    assert {outcome.reason for outcome in report.outcomes} == {"not given: rank_facts"}
    _, unlooked = look(healthy_rank, processes=1)
    assert unlooked["DST001"].endswith("the run has one process")


def test_every_process_going_through_all_rows_is_a_warning():
    def rank_facts(rank, processes):
        return {"train_batches": DataLoader(ROWS, batch_size=2, shuffle=True)}

    ((finding,), _) = look(rank_facts)
    assert (finding.probe, finding.severity) == ("DST002", "warning") and "all 17 rows" in finding.message


def test_one_batch_that_is_repeated_to_keep_step_is_no_finding():
    def rank_facts(rank, processes):
        return {"train_batches": [ROWS.tensors]}

    assert not look(rank_facts)[0]


class Stream(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return (torch.tensor(number) for number in range(self.count))


@pytest.mark.parametrize(
    ("counts", "steps", "said"),
    [
        ((4, 6), None, "4 and 6 batches"),
        ((3, 10_000), 100, "3 and at least 500 batches"),
        ((4, 6), 4, ""),  # the run ends before
        ((800, 900), None, ""),  # further than anybody counts
    ],
)
def test_streams_are_counted_up_to_a_limit(counts, steps, said):
    def rank_facts(rank, processes):
        return {"train_batches": DataLoader(Stream(counts[rank]), batch_size=None)}

    findings, _ = look(rank_facts, **({"total_steps": steps} if steps else {}))
    told = [finding.message for finding in findings if finding.probe == "DST001"]
    assert bool(told) == bool(said) and all(said in message for message in told)


def test_processes_that_wait_for_each_other_are_ended_and_the_line_is_named(monkeypatch):
    monkeypatch.setattr(hang_watch, "STILL", 3.0)

    def rank_facts(rank, processes):
        def evaluate():
            if rank == 1:
                torch.distributed.barrier()  # alone
            return {}

        return healthy_rank(rank, processes, evaluate=evaluate)

    start = time.monotonic()
    ((finding,), _) = look(rank_facts)
    assert finding.probe == "DST005" and finding.where == "rank 1" and "waited for the others" in finding.message
    code = Path(__file__).read_text().splitlines()
    assert finding.file == __file__ and "# alone" in code[finding.line - 1] and time.monotonic() - start < 15


def test_the_process_that_is_behind_is_told_and_not_the_one_that_is_done(monkeypatch):
    monkeypatch.setattr(hang_watch, "STILL", 3.0)

    def rank_facts(rank, processes):
        return healthy_rank(rank, processes, training_step=lambda batch: torch.distributed.barrier() if rank else None)

    ((finding,), _) = look(rank_facts)
    assert (finding.probe, finding.where) == ("DST004", "rank 1"), finding


@pytest.mark.parametrize("always", [False, True])
def test_a_process_that_stands_still_from_its_start_is_started_again(monkeypatch, tmp_path, always):
    monkeypatch.setattr(hang_watch, "STILL_BUILDING", 2.0)
    lock = threading.Lock()
    lock.acquire()  # as by a thread that has not lived on

    def rank_facts(rank, processes):
        if rank and (always or not (tmp_path / "tried").exists()):
            (tmp_path / "tried").touch()
            lock.acquire()  # for ever
        return healthy_rank(rank, processes)

    report = diagnose.preflight(stages=["distributed"], rank_facts=rank_facts, processes=2)
    if not always:
        assert report.verdict == "go", report.outcomes
        return
    assert report.exit_code == 2 and {outcome.status for outcome in report.outcomes} == {"blocked"}
    line = 1 + next(n for n, text in enumerate(Path(__file__).read_text().splitlines()) if "# for ever" in text)
    assert f"rank 1: a process stood still while it was built at {__file__}:{line}" in report.outcomes[0].reason


def test_reading_slowly_is_not_standing_still(monkeypatch, tmp_path):
    monkeypatch.setattr(hang_watch, "STILL_BUILDING", 2.0)
    (tmp_path / "weights").write_bytes(bytes(40))

    def rank_facts(rank, processes):
        with (tmp_path / "weights").open("rb", buffering=0) as weights:
            while weights.read(4):
                time.sleep(0.4)
        return healthy_rank(rank, processes)

    assert look_at_ranks(rank_facts, 2).root is None


def test_a_process_that_dies_or_raises_is_told_with_its_rank():
    def dies(rank, processes):
        return healthy_rank(rank, processes, evaluate=lambda: os.kill(os.getpid(), signal.SIGKILL) if rank else {})

    ((finding,), _) = look(dies)
    assert (finding.probe, finding.where) == ("DST005", "rank 1") and "its process ended with -9" in finding.message

    def raises(rank, processes):
        def step(batch):
            if rank:
                raise ValueError("there is no such wheel")
            torch.distributed.all_reduce(torch.ones(1))

        return healthy_rank(rank, processes, training_step=step)

    ((finding,), unlooked) = look(raises)
    assert finding.probe == "DST004" and "rank 1: the step raised ValueError: there is no such wheel" in finding.message
    assert {"DST003", "DST005"} <= set(unlooked)


def test_what_is_not_known_in_one_process_is_not_blamed_on_several():
    def without_a_loss(rank, processes):
        return {"model": nn.Linear(4, 2), "train_batches": shared(rank, processes)}

    findings, unlooked = look(without_a_loss)
    assert not findings and "give compute_loss" in unlooked["DST003"] and "give compute_loss" in unlooked["DST004"]

    def not_yet_wrapped(rank, processes):
        return healthy_rank(
            rank, processes, compute_loss=lambda model, batch: model.weight.sum() + loss_of(model, batch)
        )

    not_yet_wrapped.aware = False
    findings, unlooked = look(not_yet_wrapped)
    assert not findings and "does not take one that is" in unlooked["DST003"]
    assert "may still be shared out" in unlooked["DST002"]
    not_yet_wrapped.aware = True
    ((finding,), _) = look(not_yet_wrapped)
    assert finding.probe == "DST004" and "has no attribute 'weight'" in finding.message


def test_facts_that_cannot_be_built_block_and_never_pass():
    def rank_facts(rank, processes):
        raise OSError("the disk is gone")

    report = diagnose.preflight(stages=["distributed"], rank_facts=rank_facts, processes=2)
    assert {outcome.status for outcome in report.outcomes} == {"blocked"} and report.exit_code == 2
    assert "OSError: the disk is gone" in report.outcomes[0].reason


def test_a_run_that_makes_the_group_itself_keeps_it():
    def rank_facts(rank, processes):
        torch.distributed.init_process_group("gloo")  # from the environment, as under torchrun
        assert torch.distributed.get_rank() == rank and os.environ["LOCAL_WORLD_SIZE"] == str(processes)
        return {**healthy_rank(rank, processes), "model": DistributedDataParallel(nn.Linear(4, 2))}

    findings, unlooked = look(rank_facts)
    assert not findings and set(unlooked) == {"DST005"}


def test_nothing_is_left_behind(capfd, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def rank_facts(rank, processes):
        print("out loud")
        os.write(2, b"and louder")
        tempfile.mkdtemp()
        return healthy_rank(rank, processes)

    before, state, children = dict(os.environ), torch.get_rng_state(), psutil.Process().children()
    look(rank_facts)
    assert dict(os.environ) == before and torch.equal(state, torch.get_rng_state())
    assert not torch.distributed.is_initialized() and psutil.Process().children() == children
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


SUBJECT = """
import os, time
import torch
from pathlib import Path
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ROWS = TensorDataset(torch.randn(16, 4), torch.arange(16) % 2)

def facts():
    torch.manual_seed(0)
    model = nn.Linear(4, 2)
    loss = lambda model, batch: nn.functional.cross_entropy(model(batch[0]), batch[1])
    step = lambda batch: (loss(model, batch).backward(), torch.optim.SGD(model.parameters(), lr=0.1).step())
    return {"model": model, "train_batches": DataLoader(ROWS, batch_size=2, shuffle=True), "compute_loss": loss,
            "training_step": step}

def drawn():
    from probes.healthy import healthy
    return {name: fact for name, fact in healthy("classifier", torch.initial_seed()).items() if name != "rank_facts"}

def of_a_rank(rank, processes):
    return facts()

def asleep(rank, processes):
    if processes > 1:
        Path(f"{rank}.pid").write_text(str(os.getpid()))
        time.sleep(60)
    return facts()
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "my_shared_project.py").write_text(SUBJECT)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("my_shared_project", None)


def test_a_function_that_knows_no_ranks_is_not_blamed_for_what_may_still_be_done(project):
    words = ["preflight", "--processes", "2", "--stage", "distributed", "--json", "out.json", "--subject"]
    run = CliRunner().invoke(main, [*words, "my_shared_project:facts"])
    assert run.exit_code == 0, run.output
    assert "may still be shared out" in (project / "out.json").read_text()
    run = CliRunner().invoke(main, [*words, "my_shared_project:of_a_rank"])
    assert run.exit_code == 1 and "DST002" in run.output, run.output


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_its_parent(project, how):
    command = [str(Path(sys.executable).with_name("diagnose")), "preflight", "--subject", "my_shared_project:asleep"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    run = subprocess.Popen([*command, "--processes", "2", "--stage", "distributed"], **quiet)
    pids = [awaited(project / f"{rank}.pid") for rank in range(2)]
    run.send_signal(how)
    assert run.wait(timeout=20) != 0
    until = time.monotonic() + 10
    while any(map(psutil.pid_exists, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(psutil.pid_exists, pids))


def awaited(path):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.05)
    raise TimeoutError(path)


def trainer_of(folder):
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

    facts = healthy("mt5")
    items = [facts["train_dataset"][number] for number in range(36)]
    arguments = Seq2SeqTrainingArguments(
        str(folder), max_steps=20, warmup_steps=5, eval_strategy="steps", per_device_train_batch_size=4,
        predict_with_generate=True, remove_unused_columns=False, report_to="none", save_strategy="no",
    )  # fmt: skip
    data = {"train_dataset": items[:25], "eval_dataset": items[25:]}  # which nobody can divide by two
    metrics = {"compute_metrics": lambda given: {"rows": float(len(given.predictions))}}
    return Seq2SeqTrainer(facts["model"], arguments, facts["collate"], **data, **metrics)


def test_a_healthy_trainer_of_transformers_gives_no_finding(tmp_path):
    findings, unlooked = look(lambda rank, processes: trainer_of(tmp_path))
    assert not findings and not unlooked


@pytest.mark.slow
@pytest.mark.parametrize("model", ["hybrid", "mt5"])
def test_a_run_of_our_own_trainer_gives_no_finding(tmp_path, model):
    from trainer.demo.corpus import make_corpus
    from trainer.demo.corpus_plan import CorpusSize
    from trainer.demo.run import settings
    from trainer.pipeline.steps import data_step

    make_corpus(
        tmp_path, 3, CorpusSize(videos=6, sentences_per_video=4, unseen_videos=1, documents_per_video=6), workers=1
    )
    resolved = settings(model, 3, tmp_path)
    data_step(resolved.config)
    report = diagnose.preflight(stages=["distributed"], config=resolved, processes=2)
    assert report.verdict == "go" and all(outcome.status == "passed" for outcome in report.outcomes), report.outcomes


def test_the_drill_starts_processes_where_there_are_cores_for_them(monkeypatch):
    fault = next(fault for fault in FAULTS if fault.probe_id == "DST001")
    build = lambda seed: only(healthy("classifier", seed)) | {"train_batches": healthy("classifier")["train_batches"]}  # noqa: E731
    caught = trial(installed(), build, fault, 0)
    assert caught.ending is TrialStatus.CAUGHT and caught.named and caught.stage == "distributed"
    without = trial(installed(), lambda seed: {"train_batches": build(0)["train_batches"]}, fault, 0)
    assert without.ending is TrialStatus.NOT_APPLICABLE and without.reason == "not given: rank_facts"
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0})
    assert "one core" in trial(installed(), build, fault, 0).reason


@pytest.mark.slow
def test_the_drill_of_a_persons_own_function_starts_its_processes_from_one_seed(project):
    words = ["drill", "--subject", "my_shared_project:drawn", "--fault", "share_with*", "--fault", "gradients_not*"]
    run = CliRunner().invoke(main, words)
    assert "2 of 2 caught, 2 named" in run.output and "healthy: 1 of 1 silent" in run.output, run.output


@pytest.mark.slow
def test_the_healthy_twin_is_looked_at_in_two_processes(monkeypatch):
    engine = installed()
    seen = []
    monkeypatch.setattr(type(engine), "examine", watched(type(engine).examine, seen))
    assert healthy_trial(engine, lambda seed: healthy("classifier", seed), 0).alarms == ()
    looked = {outcome.probe for outcome in seen[0].outcomes if outcome.ran}
    assert {"DST001", "DST002", "DST003", "DST004", "DST005"} <= looked


def watched(examine, seen):
    def noted(*given, **named):
        seen.append(examine(*given, **named))
        return seen[-1]

    return noted
