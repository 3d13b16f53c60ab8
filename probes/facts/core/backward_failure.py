"""Finds the operation whose backward raised, by a second try with torch's anomaly detection."""

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import FOREIGN
from probes.facts.core.step_setup import ComputeLoss
from probes.facts.core.types import Failure

MARK = re.compile(r"born in <(.*?)\|(.*?)\|(.*?)>")
NODE = re.compile(r"Error detected in (\w+)")


def locate_backward_failure(model: torch.nn.Module, batch: Any, compute_loss: ComputeLoss, failure: Failure) -> Failure:
    """The failure with the module and the line of the forward pass to which the raising node belongs."""
    if "does not require grad" in failure.message or failure.module:
        return failure
    pass_counter.count_passes()
    with warnings.catch_warnings(record=True) as said, _noting(model), torch.autograd.detect_anomaly(check_nan=False):
        warnings.simplefilter("always")
        with suppress(Exception):
            compute_loss(model, copy_batch(batch)).backward()
    text = "\n".join(str(one.message) for one in said)
    born, node = MARK.search(text), NODE.search(text)
    if born is None:
        return failure
    module, kind, line = born.groups()
    told = f"{failure.message} (node {node.group(1)})" if node else failure.message
    return replace(failure, module=module, kind=kind, line=line or failure.line, message=told)


@contextmanager
def _noting(model: torch.nn.Module) -> Iterator[None]:
    """Replaces the function that torch calls to record the origin of each node by one that names module and line."""
    from torch.fx import traceback as births

    names = {id(module): (name or "the model itself", type(module).__name__) for name, module in model.named_modules()}
    usual = births.format_stack

    def place(*_: Any) -> list[str]:
        frame, line, found = sys._getframe(1), "", ("", "")
        while frame is not None:
            found = names.get(id(frame.f_locals.get("self")), found) if not found[0] else found
            foreign = any(part in frame.f_code.co_filename for part in FOREIGN)
            line = line or ("" if foreign else f"{frame.f_code.co_filename}:{frame.f_lineno}")
            frame = frame.f_back  # type: ignore[assignment]
        return [f"born in <{found[0]}|{found[1]}|{line}>\n"]

    births.format_stack = place
    try:
        yield
    finally:
        births.format_stack = usual


def module_holding_graph(failure: Failure, model: torch.nn.Module) -> Failure:
    """For a step that raises outside of all modules: the module that holds a tensor with a graph."""
    if failure.module:
        return failure
    for name, module in model.named_modules():
        for key, value in vars(module).items():
            held = value if isinstance(value, list | tuple) else [value]
            if any(isinstance(one, torch.Tensor) and one.grad_fn is not None for one in held):
                place = f"{name}.{key}".lstrip(".")
                return replace(failure, module=place, kind=type(module).__name__)
    return failure
