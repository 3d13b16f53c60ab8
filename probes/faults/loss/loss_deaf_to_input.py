from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, batch_of
from probes.faults.kit.forward_changes import hook_output
from probes.faults.kit.loss_changes import in_mode, scores_and_labels

KERNELS = ("subsample", "subsampling")
READ = ("input_features", "input_values", "input_ids")


def _ignores_input(facts: Facts) -> bool:
    """The first row's scores stay when its input is another row's."""
    from probes.facts.core.batch_changes import with_inputs_exchanged

    batch = batch_of(facts)
    with in_mode(facts, training=False) as model:
        one, other = (scores_and_labels(model, some)[0] for some in (batch, with_inputs_exchanged(batch)))
    return bool((one - other).abs().max() < 1e-5)


def _ones(model: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    import torch

    changed = {name: torch.ones_like(value) for name, value in named.items() if name in READ}
    return tuple(map(torch.ones_like, inputs)), {**named, **changed}


@fault("the model reads constants instead of its input", "LOS005", _ignores_input)
def loss_deaf_to_input(facts: Facts) -> Facts:
    kernels = [part for name, part in facts["model"].named_modules() if name.rpartition(".")[2] in KERNELS]
    if kernels:  # they would see where ones end and padding begins
        hook_output(kernels[0], lambda frames: frames - frames.detach())
    else:
        facts["model"].register_forward_pre_hook(_ones, with_kwargs=True)
    return facts
