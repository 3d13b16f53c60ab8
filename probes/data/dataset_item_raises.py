from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import LoadedItems
from probes.reporting.row_finding import row_finding


@probe(id="DAT022", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT003",))
def dataset_item_raises(train_items: LoadedItems, eval_items: LoadedItems | None = None) -> Findings:
    """The dataset raises for some items, so the run stops when it reaches one of them."""
    items = train_items.rows + (eval_items.rows if eval_items else ())
    failed = [item for item in items if item.error]
    for item in failed:
        yield row_finding(
            item.row,
            f"reading it raised {item.error}; {len(failed)} of {len(items)} items read raise an error",
            f"fix the row or the dataset{f' at {item.line}' if item.line else ''}",
            failed=len(failed),
            items=len(items),
        )
