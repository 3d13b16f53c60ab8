from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import Parameters
from probes.reporting.first_names import first_names

SHOWN = 8
ALONE = 0.95  # a part that holds nearly everything is looked into


@probe(id="PAR015", stage=Stage.PARAMETERS, severity=Severity.NOTE)
def model_is_partly_frozen(parameters: Parameters) -> Findings:
    """The model is partly frozen: only some of its parameters are trainable."""
    frozen = sum(row.size for row in parameters.rows if not row.trainable and not row.fixed)
    if frozen and parameters.trainable:
        share = 100 * parameters.trainable / parameters.total
        blocks = sorted(_sizes(parameters).items(), key=lambda block: -block[1][1])
        named = [f"{name} {some:,} / {total:,} ({100 * some / max(total, 1):.1f}%)" for name, (some, total) in blocks]
        yield Finding(
            where="model",
            message=f"Trainable: {parameters.trainable:,} / {parameters.total:,} ({share:.1f}%): "
            f"{first_names(named, SHOWN)}",
            fix="compare with the modules you want to train; pass `trainable` to have it checked",
            measured={"trainable": parameters.trainable, "total": parameters.total},
            severity=Severity.WARNING if _is_one_norm(parameters) else None,
        )


def _is_one_norm(parameters: Parameters) -> bool:
    """A method that trains norms trains all of them; a single one is what a wrong name pattern leaves."""
    norms = {row.name.rpartition(".")[0] for row in parameters.rows if row.role == "norm"}
    trained = {row.name.rpartition(".")[0] for row in parameters.rows if row.trainable}
    return len(trained) == 1 and trained < norms


def _sizes(parameters: Parameters) -> dict[str, tuple[int, int]]:
    """Trainable values and all values of the model's parts, one level down, or more where one part holds nearly all."""
    for depth in (1, 2, 3):
        sizes: dict[str, tuple[int, int]] = {}
        for row in parameters.rows:
            name = ".".join(row.name.split(".")[:-1][:depth]) or row.name
            some, total = sizes.get(name, (0, 0))
            sizes[name] = (some + row.size * row.trainable, total + row.size)
        if max(total for _, total in sizes.values()) <= ALONE * parameters.total:
            break
    return sizes
