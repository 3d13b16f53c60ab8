"""What a GPU's kernels keep, on a machine without one."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from accelerate.utils import convert_to_fp32
from torch.overrides import TorchFunctionMode

from probes.facts.memory.types import StepOptions
from probes.facts.precision.autocast_rules import gpu_rules

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


class GpuKernels(TorchFunctionMode):
    """Dropout keeps one byte for each value, and attention with dropout keeps no table of all pairs of positions."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if func is torch.nn.functional.scaled_dot_product_attention:
            if len(args) > 4:
                args = (*args[:4], 0.0, *args[5:])
            else:
                kwargs["dropout_p"] = 0.0
        if func is torch.nn.functional.dropout and kwargs.get("training", True):
            return torch.native_dropout(args[0], kwargs.get("p", 0.5), True)[0]
        return func(*args, **kwargs)


@contextmanager
def as_on_device(model: torch.nn.Module, options: StepOptions) -> Iterator[None]:
    """Autocast of the run's precision, with the lists and kernels of a GPU where the run has one."""
    with ExitStack() as stack:
        if options.gpu:
            stack.enter_context(GpuKernels())
        if options.precision in DTYPES:
            if options.gpu:
                stack.enter_context(gpu_rules())
            if options.outputs_to_fp32:
                stack.callback(model.register_forward_hook(_to_fp32).remove)
            stack.enter_context(torch.autocast("cpu", DTYPES[options.precision]))
        yield


def _to_fp32(module: torch.nn.Module, args: Any, output: Any) -> Any:
    """As accelerate converts what a model returns under autocast: all of it at once."""
    return convert_to_fp32(output)
