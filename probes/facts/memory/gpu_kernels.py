"""What a GPU's kernels keep, on a machine without one."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from accelerate.utils import convert_to_fp32
from torch.nn import functional

from probes.facts.memory.types import StepOptions
from probes.facts.precision.autocast_rules import gpu_rules

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


@contextmanager
def gpu_kernels() -> Iterator[None]:
    """Dropout keeps one byte for each value, and attention with dropout keeps no table of all pairs of positions.

    The functions are replaced by name: a mode would not be active when checkpointing computes again.
    """
    dropout, attention = functional.dropout, functional.scaled_dot_product_attention

    def fused_dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        return torch.native_dropout(input, p, True)[0] if training and p > 0 else dropout(input, p, training, inplace)

    def fused_attention(query: Any, key: Any, value: Any, *masks: Any, **more: Any) -> Any:
        return attention(query, key, value, *masks[:1], **more | {"dropout_p": 0.0})

    vars(functional).update(dropout=fused_dropout, scaled_dot_product_attention=fused_attention)
    try:
        yield
    finally:
        vars(functional).update(dropout=dropout, scaled_dot_product_attention=attention)


@contextmanager
def device_rules(options: StepOptions) -> Iterator[None]:
    """Inside, kernels and lists of autocast are those of a GPU, where the run has one; also in the backward pass."""
    with ExitStack() as stack:
        if options.gpu:
            stack.enter_context(gpu_kernels())
        if options.gpu and options.precision in DTYPES:
            stack.enter_context(gpu_rules())
        yield


@contextmanager
def autocast_of(model: torch.nn.Module, options: StepOptions) -> Iterator[None]:
    """Autocast of the run's precision; what the model returns is converted as accelerate does it."""
    with ExitStack() as stack:
        if options.precision in DTYPES:
            if options.outputs_to_fp32:
                stack.callback(model.register_forward_hook(_to_fp32).remove)
            stack.enter_context(torch.autocast("cpu", DTYPES[options.precision]))
        yield


def _to_fp32(module: torch.nn.Module, args: Any, output: Any) -> Any:
    """As accelerate converts what a model returns under autocast: all of it at once."""
    return convert_to_fp32(output)
