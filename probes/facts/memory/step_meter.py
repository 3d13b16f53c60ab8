"""Counts every allocation of a step: size, kind, module, first and last operation; and the step's FLOPs."""

import math
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from probes.facts.core.torch_ops import iter_leaves
from probes.facts.memory.fake_operations import rule_for, with_known_places, workspace
from probes.facts.memory.types import Allocation

CUDA_BLOCK = 512  # bytes to which the allocator of a GPU rounds up
DEVICE = torch.ops.prim.device.default
TO_COPY = torch.ops.aten._to_copy.default
# For CPU kernels of attention torch has no formula; four products of the forward pass's size make the backward pass,
# and one that computes the weights again.
ATTENTION = {
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: 1.0,
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward: 2.5,
}


class StepMeter(TorchDispatchMode):
    """Inside, storages of fake and real tensors are counted alike. Fake weights make a step without its memory.

    An operation without a fake input runs for real: masks, lengths and labels keep their values, so that a model that
    looks at them takes the branch that it would take.
    """

    def __init__(self, module_names: dict[int, str], gpu: bool = False) -> None:
        super().__init__()
        self.allocations: list[Allocation] = []
        self.clock, self.flops = 0, 0.0
        self.default_kind = "temporary"
        self._names, self._gpu, self._round_to = module_names, gpu, CUDA_BLOCK if gpu else 1
        self._modules: list[str] = [""]
        self._live: dict[int, tuple[Any, Allocation]] = {}
        self._weight_copies: dict[int, torch.Tensor] | None = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is DEVICE:
            return args[0].fake_device if isinstance(args[0], FakeTensor) else args[0].device
        kwargs = kwargs or {}
        self.clock += 1
        if not any(isinstance(value, FakeTensor) for value in iter_leaves((args, kwargs))):
            with unset_fake_temporarily():
                output = func(*args, **kwargs)
        elif (rule := rule_for(func)) is not None:
            output = rule(*args)
        else:
            output = func(*with_known_places(func, args), **kwargs)
        self._count_flops(func, args, kwargs, output)
        kind = ""
        if func is TO_COPY and self.kind_of(args[0]) == "weights":
            kind = "16-bit copies of weights"
            if self._weight_copies is not None:
                self._weight_copies.setdefault(args[0].untyped_storage()._cdata, output)
        for tensor in (output,) if isinstance(output, torch.Tensor) else iter_leaves(output):
            self.add(tensor, kind)
        if size := workspace(func, args, output, self._gpu):
            self.allocations.append(Allocation(size, self.default_kind, self._modules[-1], self.clock, self.clock))
        return output

    def add(self, tensor: torch.Tensor, kind: str = "", module: str | None = None) -> None:
        """Notes the tensor's storage, unless it is known."""
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._live:
            return
        size = math.ceil(storage.nbytes() / self._round_to) * self._round_to
        where = self._modules[-1] if module is None else module
        allocation = Allocation(size, kind or self.default_kind, where, self.clock)
        self.allocations.append(allocation)
        self._live[key] = weakref.ref(storage, lambda _: self._end(key)), allocation

    def kind_of(self, tensor: torch.Tensor) -> str:
        found = self._live.get(tensor.untyped_storage()._cdata)
        return found[1].kind if found else ""

    def set_kind(self, tensor: torch.Tensor, kind: str, module: str) -> None:
        """Names what a tensor turned out to be, such as a gradient."""
        self.add(tensor, kind, module)
        allocation = self._live[tensor.untyped_storage()._cdata][1]
        allocation.kind, allocation.module = kind, module

    def forget_weight_copies(self) -> None:
        """Autocast has let go of them; until then it holds the first copy of each weight."""
        self._weight_copies = None

    def living(self) -> list[Allocation]:
        return [allocation for _, allocation in self._live.values()]

    def _end(self, key: int) -> None:
        self._live.pop(key)[1].end = self.clock

    def _count_flops(self, func: Any, args: Any, kwargs: Any, output: Any) -> None:
        packet = func._overloadpacket
        if packet in ATTENTION:
            backward = ATTENTION[packet] > 1
            query, key = args[1:3] if backward else args[:2]
            self.flops += 4.0 * query.numel() * key.shape[-2] * ATTENTION[packet]
        elif packet in flop_registry:
            self.flops += flop_registry[packet](*args, **kwargs, out_val=output)

    @contextmanager
    def modules(self) -> Iterator[None]:
        """Inside, an allocation is noted with the module whose forward method runs."""

        def enter(module: torch.nn.Module, _: Any) -> None:
            self._modules.append(self._names.get(id(module), self._modules[-1]))

        def leave(*_: Any) -> None:
            if len(self._modules) > 1:
                self._modules.pop()

        with ExitStack() as stack:
            stack.callback(register_module_forward_pre_hook(enter).remove)
            stack.callback(register_module_forward_hook(leave, always_call=True).remove)
            yield


def on_gradient(meter: StepMeter, name: str) -> Callable[[torch.Tensor], None]:
    """A hook that names a parameter's gradient once it is there."""

    def note(parameter: torch.Tensor) -> None:
        if parameter.grad is not None:
            meter.set_kind(parameter.grad, "gradients", name.rpartition(".")[0])

    return note
