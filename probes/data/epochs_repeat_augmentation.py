from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.dataloader.types import WorkerDraws

VARIED = 5  # different ones of eight draws: then two independent epochs agree in all eight with less than 1e-4


@probe(id="DAT046", stage=Stage.DATA, severity=Severity.WARNING)
def epochs_repeat_augmentation(worker_draws: WorkerDraws) -> Findings:
    """Every epoch repeats the random augmentations of the previous one."""
    if worker_draws.epochs_agree == worker_draws.draws and worker_draws.distinct >= VARIED:
        yield Finding(
            where="train_batches",
            message=(
                f"the second epoch draws the same {worker_draws.draws} augmentations as the first, expected different "
                "ones"
            ),
            fix="include the epoch in the seed: torch.initial_seed() in a worker differs in every epoch",
            measured={"agree": worker_draws.epochs_agree, "draws": worker_draws.draws},
        )
