from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import last, run


@run(
    "the metric compares classes with their names",
    "STP021",
    lambda r: last(r, "evaluation.accuracy") == 0,
    ("classifier",),
)
def run_compares_numbers_with_names(facts: Facts) -> dict[str, Any]:
    def metric(model: Any, batch: Any) -> float:
        right = [str(said) == meant for said, meant in zip(model(batch[0]).argmax(-1), batch[1].tolist(), strict=True)]
        return sum(right) / len(right)

    return {"steps": 600, "evaluate_every": 150, "metric": metric}
