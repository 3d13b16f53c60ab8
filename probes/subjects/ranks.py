"""One process of several of a healthy subject: rows shared out, the model wrapped, predictions padded."""

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.functional import pad
from torch.nn.parallel import DistributedDataParallel
from torch.optim import AdamW
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

Facts = dict[str, Any]


def rank_of(build: Callable[[], Facts], seed: int, rank: int, processes: int) -> Facts:
    """The same weights from the same seed; an encoder may leave layers out, so that not all is used in every step."""
    torch.manual_seed(seed)
    facts = build()
    share: Any = DistributedSampler(facts["train_dataset"], processes, rank, seed=seed)
    batches = DataLoader(facts["train_dataset"], batch_size=4, sampler=share, collate_fn=facts["collate"])
    inner = facts["model"]
    model = DistributedDataParallel(inner, find_unused_parameters=True)
    facts |= {"model": model, "train_batches": batches, "optimizer": AdamW(model.parameters(), lr=1e-3)}
    labels_of = facts.get("labels_of", lambda batch: batch["labels"] if isinstance(batch, dict) else batch[1])
    predict = facts.get("generate", lambda model, batch: model(batch[0]))

    def evaluate() -> dict[str, float]:
        rows = [facts["train_dataset"][number] for number in range(2 * rank, 2 * rank + 2)]
        batch = facts["collate"](rows)
        inner.eval()
        with torch.no_grad():
            predictions, labels = predict(inner, batch), labels_of(batch)
        return facts["compute_metrics"](gather_padded(predictions), gather_padded(labels))

    return {**facts, "evaluate": evaluate}


def gather_padded(values: torch.Tensor) -> torch.Tensor:
    """Of all processes, one after the other, each padded to the longest."""
    if values.dim() == 2 and not values.is_floating_point():
        longest = torch.tensor(values.shape[1])
        dist.all_reduce(longest, dist.ReduceOp.MAX)
        values = pad(values, (0, int(longest) - values.shape[1]), value=-100)
    found = [torch.empty_like(values) for _ in range(dist.get_world_size())]
    dist.all_gather(found, values.contiguous())
    return torch.cat(found)
