"""`train demo`: the whole pipeline on a small generated corpus."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.common.progress import log_line
from trainer.demo.corpus import DemoCorpus, make_corpus
from trainer.demo.corpus_plan import CorpusSize
from trainer.evaluation.score_table import print_scores
from trainer.pipeline.pipeline import Gate, MakeGuard, PipelineResult
from trainer.pipeline.steps import StepCounter, charts_step, data_step, evaluate_step, train_step

if TYPE_CHECKING:
    from trainer.config import Resolved

MODELS = ("hybrid", "whisper", "e2e", "mt5")
SPEECH, TEXT = "synthetic speech, closed vocabulary", "synthetic text, closed vocabulary"


def demo(
    model: str = "hybrid",
    seed: int = 0,
    directory: str | Path = "gonogo-demo",
    gate: Gate | None = None,
    size: CorpusSize = CorpusSize(),  # noqa: B008
    overrides: Sequence[str] = (),
    make_guard: MakeGuard = lambda: None,
) -> PipelineResult:
    """Corpus, data, preflight, training, evaluation, charts; a second time, only what is missing."""
    started = time.monotonic()
    root = Path(directory)
    resolved = settings(model, seed, root, overrides)
    name = resolved.config.output.experiment_name
    step = StepCounter(6)
    log_line(f"GoNoGo demo ({label_of(model)}): {name}, seed {seed}, in {root}")
    corpus = _data(step, resolved, make=lambda: make_corpus(root, seed, size))
    step.next("Preflight: can this run learn?")
    log_line(f"      {gate(resolved) if gate else 'no diagnosis is available: starting without it'}")
    step.next(f"Train {name} from random weights")
    run = train_step(resolved, guard=make_guard())
    step.next("Evaluate on unseen sentences")
    scores = evaluate_step(resolved.config, _tests(model, corpus))
    step.next("Draw charts")
    charts = charts_step([resolved.config], scores, root / "outputs" / "charts" / name)
    outcome = PipelineResult((run,), tuple(scores), charts)
    _print(outcome, corpus, label_of(model))
    log_line(f"done in {time.monotonic() - started:.0f} s")
    return outcome


def label_of(model: str) -> str:
    """What the demo of this model learns from."""
    return TEXT if model == "mt5" else SPEECH


def settings(model: str, seed: int, root: Path, overrides: Sequence[str] = ()) -> "Resolved":
    """The shipped configuration of the demo, in this directory and with this seed."""
    from trainer.config import load
    from trainer.paths import shipped_config

    name = f"demo_{model}"
    values = {
        "paths.data_root": str(root),
        "paths.output_dir": str(root / "outputs"),
        "output.dir": str(root / "outputs" / name),
        "training.seed": seed,
    }
    ours = [f"{key}={json.dumps(value)}" for key, value in values.items()]
    return load(shipped_config(name), [*ours, *overrides])


def _data(step: StepCounter, resolved: "Resolved", make: Callable[[], DemoCorpus]) -> DemoCorpus:
    step.next("Create a corpus")
    corpus = make()
    log_line(f"      {_described(corpus)}")
    step.next("Prepare data: clean the manifest, split by video")
    data_step(resolved.config)
    return corpus


def _tests(model: str, corpus: DemoCorpus) -> dict[str, Path | None]:
    return {"": None} if model == "mt5" else {"": None, "_unseen_voices": corpus.unseen}


def _described(corpus: DemoCorpus) -> str:
    what = f"{corpus.clips:,} clips, {corpus.seconds / 3600:.2f} hours: {corpus.directory}"
    return what if corpus.made else f"{what} already exists"


def _print(outcome: PipelineResult, corpus: DemoCorpus, label: str) -> None:
    print(f"\nResults ({label})\n")
    print_scores(outcome.scores)
    print(f"model   {outcome.runs[0]}\ncorpus  {corpus.directory}")
    for chart in outcome.charts:
        print(f"chart   {chart}")
