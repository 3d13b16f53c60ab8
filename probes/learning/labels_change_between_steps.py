from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult


@probe(id="LRN010", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def labels_change_between_steps(overfit_curve: OverfitResult, relabeled_rows: str | None = None) -> Findings:
    """Labels of the same rows change from step to step, so they cannot be learned."""
    run = overfit_curve
    if run.relabelled:
        yield Finding(
            where=run.where,
            message=f"the loss uses different labels in {run.relabelled} of {run.updates} passes over the same batch "
            f"than in the first, expected the same; it ends at {run.final:.4g}",
            fix="draw no random numbers where labels are processed: compute_loss, forward, label preparation",
            measured={"changes": run.relabelled, "updates": run.updates, "final": run.final},
        )
    elif relabeled_rows and relabeled_rows != "same":
        yield Finding(
            where="train_batches",
            message=f"{relabeled_rows}, drawn twice, have the same inputs but different labels",
            fix="keep each label with its input: the dataset and the collator must not change labels at random",
            measured={"rows": relabeled_rows},
        )
