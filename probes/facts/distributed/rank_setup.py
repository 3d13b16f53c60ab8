"""What one process of a group works with, whatever its facts are: single ones, a configuration, a Trainer."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from diagnose.engine.context import Context, FactError, NotApplicable, NotGiven
from diagnose.engine.engine import installed
from probes.facts.core.model_output import loss_of_output

BATCHES = 2  # of the evaluation set of a Trainer, in each process
WRAPPERS = ("DistributedDataParallel", "FullyShardedDataParallel", "DeepSpeedEngine")


@dataclass
class RankSetup:
    """Model and loader as this process has them. None: not given, or there is none."""

    facts: dict[str, Any]
    prepared: bool
    model: torch.nn.Module | None
    batches: Any
    optimizer: Any = None
    step: Callable[[Any], Any] | None = None  # the run's own
    compute_loss: Callable[[Any, Any], Any] = loss_of_output
    evaluate: Callable[[], Any] | None = None
    generate: Callable[[Any, Any], Any] | None = None
    special: Any = None  # SpecialIds

    @property
    def wrapped(self) -> str:
        name = type(self.model).__name__
        return name if name in WRAPPERS or isinstance(self.model, DistributedDataParallel) else ""

    @property
    def inner(self) -> Any:
        """The model itself."""
        return self.model.module if self.wrapped else self.model  # type: ignore[union-attr]

    def single_facts(self) -> dict[str, Any]:
        """The same as facts of their own, without what they were read from."""
        names = {"train_batches": self.batches, "training_step": self.step, "special_ids": self.special}
        names |= {name: getattr(self, name) for name in ("model", "optimizer", "compute_loss", "evaluate", "generate")}
        plain = {name: value for name, value in self.facts.items() if name not in ("config", "trainer")}
        return {name: value for name, value in (plain | names).items() if value is not None}


def call_rank_facts(rank_facts: Callable[[int, int], Any], rank: int, processes: int) -> Any:
    """Its facts; where it makes the group itself, that one is used and ours is given up."""
    try:
        return rank_facts(rank, processes)
    except ValueError as error:
        if "process group twice" not in str(error):
            raise
    dist.destroy_process_group()
    return rank_facts(rank, processes)


def rank_setup(facts: Mapping[str, Any], prepared: bool = True) -> RankSetup:
    """Reads a rank's facts with everything that is registered."""
    context = installed().context(facts)
    trainer = _fact(context, "trainer")
    setup = RankSetup(
        dict(facts),
        prepared,
        _fact(context, "model"),
        facts["train_batches"] if "train_batches" in facts else None if trainer else _fact(context, "train_batches"),
        facts["optimizer"] if "optimizer" in facts else None if trainer else _fact(context, "optimizer"),
        facts.get("training_step"),
        _fact(context, "compute_loss") or loss_of_output,
        facts.get("evaluate"),
        _optional_fact(context, "generate"),
        _optional_fact(context, "special_ids"),
    )
    setup.prepared = setup.prepared or bool(setup.wrapped)
    if trainer is not None and "model" not in facts:
        _take_from(setup, trainer)
    return setup


def _fact(context: Context, name: str) -> Any:
    try:
        return context.get(name)
    except (NotApplicable, NotGiven):
        return None


def _optional_fact(context: Context, name: str) -> Any:
    """None if the fact fails: the probes that need it say so."""
    try:
        return context.get(name)
    except FactError:
        return None


def _take_from(setup: RankSetup, trainer: Any) -> None:
    """As the Trainer itself begins to train: its loader, its wrapping, its optimiser, its step, its evaluation."""
    from probes.facts.hf_trainer.step_facts import training_step

    trainer.callback_handler.callbacks.clear()  # they write
    if trainer.train_dataset is not None and setup.batches is None:
        setup.batches = trainer.get_train_dataloader()
    setup.model, _ = trainer._prepare_for_training(1, setup.batches, None)
    setup.optimizer, setup.prepared = trainer.optimizer, True
    setup.step = setup.step or training_step(trainer, trainer.optimizer)
    if trainer.eval_dataset is not None and setup.evaluate is None:
        setup.evaluate = lambda: _evaluated(trainer)


def _evaluated(trainer: Any) -> dict[str, float]:
    """Its own loop over the first batches of its own loader, gathered as it gathers."""
    from probes.facts.generation.sources import evaluation_of

    sets = trainer.eval_dataset
    name = next(iter(sets)) if isinstance(sets, dict) else None
    return evaluation_of(trainer, TruncatedLoader(trainer.get_eval_dataloader(name), BATCHES))


class TruncatedLoader:
    """A loader that ends early and is the given one in everything else."""

    def __init__(self, loader: Any, count: int) -> None:
        self.loader, self.count = loader, count

    def __iter__(self) -> Iterator[Any]:
        return islice(iter(self.loader), self.count)

    def __len__(self) -> int:
        return min(len(self.loader), self.count)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)
