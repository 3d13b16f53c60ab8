"""Saves objects in place and restores them bit for bit: tensors, containers, generators, plain attributes."""

import random
import types
from collections import deque
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np
import torch

DEEP = 2  # how far to follow objects that are neither modules nor containers: a wrapper, and what it wraps
LONG = 10_000  # a longer container (a dataset hung on a model) keeps its entries, but they are not looked into
LEAVES = (str, bytes, int, float, complex, type(None), type, types.ModuleType, types.FunctionType, types.MethodType)
# What other threads write to at any time: putting it back would break it.
ALIVE = ("threading", "_thread", "queue", "logging", "multiprocessing", "concurrent", "asyncio", "weakref", "_weakref")


class Snapshot:
    """`keep` what must not change, then `put_back`. One copy of each storage, however many tensors look at it."""

    def __init__(self) -> None:
        self._visited: dict[int, Any] = {}  # holds what it has seen, so that no id is given out twice
        self._storages: dict[int, tuple[torch.UntypedStorage, torch.UntypedStorage]] = {}
        self._restores: list[Callable[[], Any]] = []

    def keep(self, value: Any, depth: int = DEEP) -> None:
        if isinstance(value, LEAVES) or id(value) in self._visited:
            return
        self._visited[id(value)] = value
        if isinstance(value, torch.Tensor):
            self._keep_tensor(value)
        elif isinstance(value, dict | list | set | deque):
            self.keep_entries(value)
            self._follow(value.values() if isinstance(value, dict) else value, depth)
        elif isinstance(value, tuple | frozenset):
            self._follow(value, depth)
        elif isinstance(value, np.ndarray):
            self._keep_array(value)
        elif restore := generator_state(value):
            self._restores.append(restore)
        elif isinstance(value, torch.nn.Module):
            self.keep(vars(value), DEEP)
        elif depth and hasattr(value, "__dict__") and not type(value).__module__.startswith(ALIVE):
            self.keep(vars(value), depth - 1)

    def copy_of(self, tensor: torch.Tensor) -> torch.Tensor:
        """What the tensor held when it was kept, as a tensor over the copy: no memory of its own."""
        if not tensor.numel():
            return tensor
        _, copy = self._storages[tensor.untyped_storage().data_ptr()]
        like = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        return like.set_(copy, tensor.storage_offset(), tensor.shape, tensor.stride())

    def put_back(self) -> None:
        """Every step is tried, whatever an earlier one raised."""
        errors: list[Exception] = []
        copies: list[Callable[[], Any]] = [partial(storage.copy_, copy) for storage, copy in self._storages.values()]
        for restore in (*self._restores, *copies):
            try:
                restore()
            except Exception as error:
                errors.append(error)
        if errors:
            raise ExceptionGroup("the observer could not restore everything", errors)

    def _keep_tensor(self, tensor: torch.Tensor) -> None:
        if tensor.layout is not torch.strided or tensor.is_meta:
            return
        data, storage = tensor.data, tensor.untyped_storage()
        if storage.nbytes() and storage.data_ptr() not in self._storages:
            self._storages[storage.data_ptr()] = (storage, storage.clone())
        grad, requires_grad = (tensor.grad, tensor.requires_grad) if tensor.is_leaf else (None, None)
        if grad is not None:
            tensor.grad = None  # set aside, not copied: a backward pass of ours makes new ones

        def restore() -> None:
            if (tensor.data_ptr(), tensor.dtype, tensor.shape) != (data.data_ptr(), data.dtype, data.shape):
                tensor.data = data
            if requires_grad is not None:
                tensor.requires_grad_(requires_grad)
                tensor.grad = grad

        self._restores.append(restore)

    def keep_entries(self, held: Any) -> None:
        """The container's entries as they are; not what they hold."""
        keys, values = list(held), list(held.values() if isinstance(held, dict) else ())

        def restore() -> None:
            if not _same(keys, list(held)) or (values and not _same(values, list(held.values()))):
                held.clear()
                entries = zip(keys, values, strict=True) if isinstance(held, dict) else keys
                (held.extend if isinstance(held, list | deque) else held.update)(entries)

        self._restores.append(restore)

    def _follow(self, values: Collection[Any], depth: int) -> None:
        if len(values) <= LONG:
            for value in values:
                self.keep(value, depth)

    def _keep_array(self, array: np.ndarray) -> None:
        if array.flags.writeable:
            self._restores.append(partial(np.copyto, array, array.copy()))


def _same(before: list[Any], now: list[Any]) -> bool:
    """Identity, entry by entry and in order: equality would call the user's own code."""
    return len(before) == len(now) and all(a is b for a, b in zip(before, now, strict=True))


def generator_state(value: Any) -> Callable[[], Any] | None:
    """A function that restores a random generator's present state; None for what is no generator."""
    if isinstance(value, np.random.Generator):
        value = value.bit_generator
    if isinstance(value, np.random.BitGenerator):
        return partial(setattr, value, "state", value.state)
    if isinstance(value, np.random.RandomState):
        return partial(value.set_state, value.get_state())
    if isinstance(value, torch.Generator):
        return partial(value.set_state, value.get_state())
    if isinstance(value, random.Random):
        return partial(value.setstate, value.getstate())
    return None
