from typing import Any

from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.short_runs import last, run_fault


@run_fault(
    "the metric compares classes with their names", "STP021", lambda r: last(r, "evaluation.accuracy") == 0, CLASSIFIER
)
def run_compares_numbers_with_names(facts: Facts) -> dict[str, Any]:
    def metric(model: Any, batch: Any) -> float:
        pairs = zip(model(batch[0]).argmax(-1), batch[1].tolist(), strict=True)
        return sum(str(prediction) == label for prediction, label in pairs) / len(batch[1])

    return {"steps": 600, "evaluate_every": 150, "metric": metric}
