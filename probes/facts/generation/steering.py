"""Controls a running `generate`: time limit, its logits processors recorded, labels forced on request."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Self

import torch

from probes.facts.core.tokens import decoder_embedding, table_of

LIKELY, UNLIKELY = 1e4, -1e4
Rows = Sequence[Sequence[int]]


class GenerationStopped(Exception):
    """Raised to end the user's own generation loop at its limit."""


class SteeredGeneration:
    """`labels`: what each row is forced to generate, then `end`. Without them the model generates freely.

    Without `classes` only transformers' own generation is limited. With them a user's own loop is ended too, by
    `GenerationStopped`, or, with `emit_end`, by the end token.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        limit: int,
        seconds: float,
        labels: Rows = (),
        end: int = 0,
        classes: int = 0,
        emit_end: bool = False,
    ) -> None:
        self.model, self.limit, self.seconds = model, limit, seconds
        self.labels, self.end, self.classes, self.emit_end = labels, end, classes, emit_end
        self.rules: list[Any] = []
        self.settings: Any = None  # transformers' generation_config with all that the call itself said
        self.prompt: list[list[int]] = []
        self.ids: list[list[int]] = []
        self.read, self.steps = 0, 0
        self.cut = self.late = self.is_hf = False
        self._undo: list[Callable[[], Any]] = []

    def __enter__(self) -> Self:
        self.start = time.perf_counter()
        mixed = [module for module in self.model.modules() if hasattr(module, "_get_logits_processor")]
        for module in mixed:
            self._wrap(module, "_get_logits_processor", self._with_rule)
            self._wrap(module, "_get_stopping_criteria", lambda listed: [*listed, self._stop])
        embedding, head = decoder_embedding(self.model), head_of(self.model, self.classes)
        if self.classes and embedding is not None and head is not None:
            self._undo.append(embedding.register_forward_pre_hook(self._reads).remove)
            self._undo.append(head.register_forward_hook(self._scores).remove)
        return self

    def __exit__(self, *error: Any) -> None:
        for undo in self._undo:
            undo()

    @property
    def over(self) -> bool:
        self.late = self.late or time.perf_counter() - self.start > self.seconds
        return self.steps >= self.limit or self.late

    def _wrap(self, module: Any, name: str, change: Callable[[Any], Any]) -> None:
        own = getattr(module, name)

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.settings = kwargs.get("generation_config") or next(iter(args), None)
            result = own(*args, **kwargs)
            return type(result)(change(result))

        object.__setattr__(module, name, wrapped)
        self._undo.append(lambda: vars(module).pop(name, None))

    def _with_rule(self, rules: Any) -> list[Any]:
        self.rules = [rule for rule in rules if rule is not self]
        self.is_hf, self.prompt, self.ids, self.steps = True, [], [], 0  # what was read before was no generation
        return [*self.rules, self]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Runs as the last logits processor, after all others."""
        self.prompt = self.prompt or input_ids.tolist()
        self.steps += 1
        self.ids = input_ids.tolist()
        return self._steered(scores, input_ids.shape[1]) if self.labels else scores

    def _stop(self, input_ids: torch.Tensor, scores: Any, **more: Any) -> torch.Tensor:
        self.ids = input_ids.tolist()
        self.cut = self.cut or self.over
        return torch.full((len(input_ids),), self.over, dtype=torch.bool, device=input_ids.device)

    def _steered(self, scores: torch.Tensor, read: int) -> torch.Tensor:
        """After `read` ids, the start token among them: the label at the next position becomes the likeliest."""
        labels = self.labels or [[]]
        each = max(1, len(scores) // len(labels))  # beams of one row stand together
        rows = [labels[min(row // each, len(labels) - 1)] for row in range(len(scores))]
        wanted = [row[read - 1] if read - 1 < len(row) else self.end for row in rows]
        steered = torch.full_like(scores, UNLIKELY)
        steered[torch.arange(len(scores)), torch.tensor(wanted)] = LIKELY
        return steered

    def _reads(self, module: Any, args: tuple[Any, ...]) -> None:
        ids = args[0] if args else None
        if self.is_hf or not isinstance(ids, torch.Tensor) or ids.dim() != 2:
            return
        if ids.shape[1] == 1 and self.ids and len(self.ids) == len(ids):
            self.ids = [[*row, *new] for row, new in zip(self.ids, ids.tolist(), strict=True)]
        else:
            self.ids = ids.tolist()
        self.prompt = self.prompt or [list(row) for row in self.ids]
        self.read = len(self.ids[0])

    def _scores(self, module: Any, args: Any, output: Any) -> Any:
        if self.is_hf or not isinstance(output, torch.Tensor) or output.dim() < 2 or not self.read:
            return None
        if self.over and not self.emit_end:
            self.cut = True
            raise GenerationStopped
        self.steps += 1
        if not self.labels and not (self.emit_end and self.over):
            return None
        last = output if output.dim() == 2 else output[:, -1]
        steered = self._steered(last, self.read)
        return steered if output.dim() == 2 else torch.cat([output[:, :-1], steered[:, None]], dim=1)


def head_of(model: torch.nn.Module, classes: int) -> Any:
    """The output embeddings, or the last linear layer with so many outputs."""
    found = table_of(model, "get_output_embeddings")
    linear = [m for m in model.modules() if isinstance(m, torch.nn.Linear) and m.out_features == classes]
    return found if found is not None else next(reversed(linear), None)
