from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.dataloader.types import WorkerDraws

VARIED = 5  # different ones of eight draws: then two independent workers agree in all eight with less than 1e-4


@probe(id="DAT045", stage=Stage.DATA, severity=Severity.WARNING, explains=("DAT046",))
def workers_share_random_state(worker_draws: WorkerDraws) -> Findings:
    """DataLoader workers share one random state, so they draw identical augmentations."""
    draws, workers = worker_draws.draws, worker_draws.workers
    if worker_draws.workers_agree == draws and worker_draws.distinct >= VARIED:
        yield Finding(
            where="train_batches",
            message=f"two of {workers} workers draw the same {draws} augmentations for the same rows, expected "
            "different ones",
            fix="create the generator per worker and row: np.random.default_rng((torch.initial_seed(), row))",
            measured={"agree": worker_draws.workers_agree, "draws": draws, "workers": workers},
        )
