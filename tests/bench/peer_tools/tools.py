"""One adapter for each tool: it is called as its README says, and its alarms are returned as plain text.

An alarm is what its author may stop for: a failure or a warning of the tool. The tool is imported here only.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import torch

from tests.bench.peer_tools.batch_parts import joined, split_batch
from tests.zoo.training import train

Facts = dict[str, Any]
STEPS = 60  # of a run whose log is judged: the tool asks for at least ten entries
AUDITED = 5  # steps that are audited, each of them
BAD = ("FAIL", "WARN")


class NotForThisTool(Exception):
    """The tool has no way to be given this run."""


def gonogo(facts: Facts) -> list[str]:
    """`diagnose.preflight(**facts)`."""
    import diagnose
    from diagnose import Severity

    report = diagnose.preflight(**{name: value for name, value in facts.items() if name != "loss"})
    alarms = [f for f in report.findings if f.severity is not Severity.NOTE]
    return [f"{f.probe} {f.where}: {f.message}; {f.fix}" for f in alarms]


def torchtest2(facts: Facts) -> list[str]:
    """`torchtest2.check_model(model, inputs, targets, loss_fn=..., optimizer=...)` on the first batch."""
    import torchtest2 as peer

    facts = _opened(facts)
    batch, model = next(iter(facts["train_batches"])), facts["model"]
    if "loss" in facts:
        inputs, targets = batch
        report = peer.check_model(model, inputs, targets, loss_fn=facts["loss"], optimizer=facts["optimizer"])
    elif "compute_loss" not in facts:
        report = peer.check_model(model, dict(batch), optimizer=facts.get("optimizer"))
    else:
        loss = facts["compute_loss"]
        inputs, targets = split_batch(model, batch, loss)
        report = peer.check_model(
            model,
            inputs,
            targets,
            forward_fn=lambda model, inputs, targets: loss(model, joined(batch, inputs, targets)),
            eval_forward_fn=lambda model, inputs: _outputs(model, joined(batch, inputs, targets), loss),
            loss_fn=lambda value, targets: value,
            optimizer=facts.get("optimizer"),
        )
    return [f"{one.name}: {one.message}" for one in (*report.failures, *report.warnings)]


def trainproof(facts: Facts) -> list[str]:
    """`trainproof epoch LOG` on the log of some steps: loss, learning rate and gradient norm of each."""
    from trainproof.epoch import check_epoch

    records = _logged(facts)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
        found = check_epoch(path)
    return [f"{one['id']}: {one['message']} {one['evidence']}" for one in found["findings"] if one["level"] in BAD]


def torch_audit(facts: Facts) -> list[str]:
    """`torch_audit.autopatch(model, optimizer=...)` around some steps of the run's own loop."""
    from torch_audit import Severity, autopatch

    facts = _opened(facts)
    auditor = autopatch(facts["model"], optimizer=facts["optimizer"], every_n_steps=1)
    try:
        _train(facts, AUDITED)
        result = auditor.finish(report=False)
    finally:
        auditor.unpatch()
    found = {(one.rule_id, one.module_path): one for one in result.findings if one.severity >= Severity.WARN}
    return [f"{one.rule_id} {one.module_path}: {one.message}" for one in found.values()]


TOOLS: dict[str, Callable[[Facts], list[str]]] = {
    "gonogo": gonogo,
    "torchtest2": torchtest2,
    "trainproof": trainproof,
    "torch_audit": torch_audit,
}


def _opened(facts: Facts) -> Facts:
    """The parts of a Trainer, as one would hand them over by hand."""
    if "trainer" not in facts:
        if "optimizer" not in facts:
            raise NotForThisTool("the run has no single optimizer")
        return facts
    trainer = facts["trainer"]
    if trainer.optimizer is None:
        trainer.create_optimizer()
    batches = [trainer._prepare_inputs(batch) for batch in islice(trainer.get_train_dataloader(), STEPS)]
    parts = {"model": trainer.model, "train_batches": batches, "optimizer": trainer.optimizer}
    return {**parts, "compute_loss": lambda model, batch: trainer.compute_loss(model, dict(batch))}


def _outputs(model: torch.nn.Module, batch: Any, compute_loss: Callable[..., Any]) -> Any:
    """What the model puts out while its loss is computed."""
    found: list[Any] = []
    handle = model.register_forward_hook(lambda module, args, output: found.append(output))
    try:
        compute_loss(model, batch)
    finally:
        handle.remove()
    if not found:
        raise NotForThisTool("the loss does not call the model itself")
    return found[-1]


def _train(facts: Facts, steps: int) -> list[float]:
    if "trainer" not in facts and "training_step" in facts:
        facts["model"].train(facts["model"].training)
        return [float(facts["training_step"](batch)) for batch in islice(cycle(facts["train_batches"]), steps)]
    return train(facts, steps)


def _logged(facts: Facts) -> list[dict[str, float]]:
    if "trainer" in facts:
        with contextlib.redirect_stdout(io.StringIO()):
            train(facts, STEPS)
        names = {"loss": "loss", "grad_norm": "grad_norm", "learning_rate": "lr", "step": "step"}
        rows = [row for row in facts["trainer"].state.log_history if "loss" in row]
        return [{names[key]: float(row[key]) for key in names if key in row} for row in rows]
    facts = _opened(facts)
    optimizer, records = facts["optimizer"], []

    def note(*args: Any) -> None:
        weights = [weight for group in optimizer.param_groups for weight in group["params"] if weight.grad is not None]
        norm = torch.nn.utils.get_total_norm([weight.grad for weight in weights]) if weights else 0.0
        records.append({"lr": float(optimizer.param_groups[0]["lr"]), "grad_norm": float(norm)})

    handle = optimizer.register_step_pre_hook(note)
    losses = _train(facts, STEPS)
    handle.remove()
    records = records if len(records) == len(losses) else [{} for _ in losses]
    return [{"step": step, "loss": loss, **row} for step, (loss, row) in enumerate(zip(losses, records, strict=True))]
