"""What a model can reach that does not look at its input: computed from the labels alone."""

from collections import Counter

import torch

from probes.facts.core.numbers import Rows, entropy

STEPS, RATE = 150, 0.3  # of the search for the best constant answer; it is a small and smooth one


def prefix_entropy(rows: Rows) -> float | None:
    """Mean entropy of the next label where all before it is known, but not which row it is."""
    total = sum(len(row) for row in rows)
    return None if not total else prefix_entropy_sum(rows) / total


def prefix_entropy_sum(rows: Rows) -> float:
    """In nats, over all labels."""
    following: dict[tuple[int, ...], Counter[int]] = {}
    for row in rows:
        for place, token in enumerate(row):
            following.setdefault(tuple(row[:place]), Counter())[token] += 1
    return sum((entropy(counts) or 0.0) * counts.total() for counts in following.values())


def ctc_floor(
    scores: torch.Tensor, targets: torch.Tensor, frames: torch.Tensor, lengths: torch.Tensor, blank: int
) -> float:
    """The lowest CTC loss, a mean over labels and rows, of one distribution that is the same in every frame."""
    used = torch.unique(targets.masked_fill(targets < 0, blank))
    known = torch.unique(torch.cat([used, used.new_tensor([blank])]))  # what never occurs only costs
    place = {int(token): number for number, token in enumerate(known)}
    mapped = targets.clone().apply_(lambda token: place.get(int(token), place[blank]))
    logits = torch.zeros(len(known), requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=RATE)
    best = float("inf")
    with torch.enable_grad():
        for _ in range(STEPS):
            constant = logits.log_softmax(-1).expand(scores.shape[0], scores.shape[1], -1)
            loss = torch.nn.functional.ctc_loss(constant, mapped, frames, lengths, place[blank], zero_infinity=True)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            best = min(best, float(loss.detach()))
    return best
