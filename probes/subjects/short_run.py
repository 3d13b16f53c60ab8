"""A short, real training loop over a subject's facts, and the records that it leaves."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.records import GeneratedText, Record, Records
from probes.facts.core.batches import copy_batch
from probes.facts.core.model_output import loss_of_output
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import labels_of_batch

WARM = 5


def warmup_factor(step: int) -> float:
    """The share of the learning rate: a short warm-up, then it stays."""
    return min(1.0, step / WARM)


@dataclass(frozen=True)
class LoopVariant:
    """How the loop steps. As it stands nothing is wrong with it; a fault changes one thing."""

    steps: int = 40
    clears: bool = True
    updates: bool = True
    clip: float | None = 1.0
    rate: Callable[[int], float] = warmup_factor
    loss: Callable[[int, torch.Tensor], torch.Tensor] = lambda step, loss: loss
    before: Callable[[int, torch.nn.Module], object] = lambda step, model: None
    same_batch: bool = False
    scaler: Any = None
    evaluate_every: int = 0
    evaluated_model: torch.nn.Module | None = None  # the model itself where it is None
    metric: Callable[[torch.nn.Module, Any], float] | None = None  # of a batch: the share of right answers
    generates: bool = False  # at evaluations texts are generated, and put beside their references
    schedule: str | None = None
    records_weights: bool = True


def short_run(facts: Mapping[str, Any], variant: LoopVariant | None = None, seed: int = 0) -> Records:
    """Trains the facts' own model on their own batches; nothing of it is left in them afterwards."""
    variant = variant or LoopVariant()
    model, optimizer = facts["model"], facts["optimizer"]
    with restore_afterwards(model, optimizer, scaler=variant.scaler), torch.enable_grad():
        torch.manual_seed(seed)
        rates = [group["lr"] for group in optimizer.param_groups]
        rows = [row for batch in _steps(facts, variant, rates) for row in batch]
    known = {"total_steps": variant.steps, "scaled": variant.scaler is not None, "schedule": variant.schedule}
    return Records.of(rows, finished=True, **known)


def _steps(facts: Mapping[str, Any], variant: LoopVariant, rates: list[float]) -> Iterator[list[Record]]:
    batches = _endless(facts["train_batches"], variant.same_batch)
    for step in range(1, variant.steps + 1):
        for group, rate in zip(facts["optimizer"].param_groups, rates, strict=True):
            group["lr"] = rate * variant.rate(step)
        rows = [_step(facts, variant, step, batches)]
        if variant.evaluate_every and step % variant.evaluate_every == 0:
            rows.append(_evaluate(facts, variant, step))
        yield rows


def _endless(batches: Any, same: bool) -> Iterator[Any]:
    first = next(iter(batches))
    while True:
        yield from ([first] if same else batches)


def _step(facts: Mapping[str, Any], variant: LoopVariant, step: int, batches: Iterator[Any]) -> Record:
    model, optimizer, scaler = facts["model"], facts["optimizer"], variant.scaler
    began, batch = time.perf_counter(), copy_batch(next(batches))
    loaded = time.perf_counter()
    model.train()
    if variant.clears:
        optimizer.zero_grad()
    variant.before(step, model)
    loss = variant.loss(step, facts.get("compute_loss", loss_of_output)(model, batch))
    pass_counter.count_passes()
    if loss.requires_grad:
        (scaler.scale(loss) if scaler else loss).backward()
    if scaler:
        scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), variant.clip or float("inf"))
    if variant.updates:
        scaler.step(optimizer) if scaler else optimizer.step()
    if scaler:
        scaler.update()
    weights = _norm(model)
    return Record(
        step,
        loss=float(loss.detach()),
        grad_norm=float(norm),
        clip=variant.clip,
        lr=optimizer.param_groups[0]["lr"],
        scale=scaler.get_scale() if scaler else None,
        weight_norm=weights if variant.records_weights else None,
        weights_finite=weights - weights == 0.0,
        seconds=time.perf_counter() - began,
        loading_seconds=loaded - began,
    )


def _norm(model: torch.nn.Module) -> float:
    return float(torch.linalg.vector_norm(torch.stack([p.detach().norm() for p in model.parameters()])))


def _evaluate(facts: Mapping[str, Any], variant: LoopVariant, step: int) -> Record:
    model, batches = (variant.evaluated_model or facts["model"]).eval(), list(facts["eval_batches"])
    with torch.no_grad():
        losses = [float(facts.get("compute_loss", loss_of_output)(model, copy_batch(batch))) for batch in batches]
        figures = {"loss": sum(losses) / len(losses)}
        if variant.metric:
            figures["accuracy"] = sum(variant.metric(model, copy_batch(batch)) for batch in batches) / len(batches)
        texts = tuple(one for batch in batches for one in _generated_texts(facts, batch)) if variant.generates else ()
    return Record(step, evaluation=figures, texts=texts)


def _generated_texts(facts: Mapping[str, Any], batch: Any) -> Iterator[GeneratedText]:
    labels = labels_of_batch(batch)
    texts = facts["decode"](facts["generate"](facts["model"], copy_batch(batch)))
    references = facts["decode"](labels.masked_fill(labels < 0, facts["tokenizer"].pad_token_id))
    return map(GeneratedText, texts, references)
