"""Parameters and modules of a model: which train, which modules hold them, weights perturbed and restored."""

from collections.abc import Iterable, Iterator

import torch

from probes.facts.core.snapshot import Snapshot

Named = list[tuple[str, torch.nn.Parameter]]


def as_in_training(model: torch.nn.Module) -> None:
    """Calls model.train(), which a model may override; evaluation modes set within a training model stay."""
    asleep = [module for module in model.modules() if model.training and not module.training]
    model.train()
    for module in asleep:
        module.training = False


def trainable(model: torch.nn.Module) -> Named:
    return [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]


def perturb_weights(parameters: Iterable[torch.nn.Parameter]) -> None:
    """Adds noise of a tenth of the weights' RMS, and a little more where they are zero."""
    with torch.no_grad():
        for parameter in parameters:
            size = float(parameter.float().square().mean().sqrt()) if parameter.numel() else 0.0
            parameter.add_(torch.randn_like(parameter) * (0.1 * size + 1e-3))


def restore_weights(model: torch.nn.Module, before: Snapshot) -> None:
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(before.copy_of(parameter))


def covering_modules(model: torch.nn.Module, named: set[str], among: set[str]) -> Iterator[tuple[str, str, list[str]]]:
    """The outermost modules whose parameters (within `among`) are all in `named`; then single parameters."""
    left = set(named)
    for name, module in model.named_modules():
        own = [f"{name}.{n}" if name else n for n, _ in module.named_parameters()]
        own = [n for n in own if n in among]
        if name and own and left.issuperset(own):
            left.difference_update(own)
            yield name, type(module).__name__, own
    yield from ((name, "Parameter", [name]) for name in sorted(left & among))


def is_sinusoidal(module: torch.nn.Module | None, parameter: torch.Tensor) -> bool:
    """An embedding with rows of one length, as sin² + cos² gives them: positions, computed and not drawn at random."""
    if not isinstance(module, torch.nn.Embedding) or parameter.is_meta:
        return False
    lengths = torch.linalg.vector_norm(parameter.detach().float(), dim=-1)
    lengths = lengths[lengths > 0]
    return len(lengths) > 3 and float(lengths.max() - lengths.min()) < 1e-3 * float(lengths.max())


def holder_of(model: torch.nn.Module, name: str) -> torch.nn.Module:
    return model.get_submodule(name.rpartition(".")[0])


def is_fixed_table(module: torch.nn.Module, parameter: torch.nn.Parameter) -> bool:
    """Frozen positions that are not meant to be learnt."""
    return not parameter.requires_grad and is_sinusoidal(module, parameter)
