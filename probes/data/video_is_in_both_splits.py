from diagnose import Findings, Severity, Stage, probe
from probes.facts.splits.types import GroupColumns
from probes.reporting.row_finding import row_finding


@probe(id="DAT038", stage=Stage.DATA, severity=Severity.WARNING, explains=("DAT039", "DAT036", "DAT037"))
def video_is_in_both_splits(shared_videos: GroupColumns) -> Findings:
    """A video or recording has rows in both the training and the evaluation set."""
    for group in shared_videos.columns:
        if group.both and group.example:
            rows = sum(count for _, count in group.both)
            yield row_finding(
                group.example,
                f"{len(group.both)} of {group.eval} values of {group.column} are in both splits, with {rows} of "
                f"{shared_videos.eval_rows} evaluation rows: {', '.join(name for name, _ in group.both[:5])}",
                "split again by this column with `train split`",
                shared=len(group.both),
                rows=rows,
            )
