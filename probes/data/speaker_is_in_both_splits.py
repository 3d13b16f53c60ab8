from diagnose import Findings, Severity, Stage, probe
from probes.facts.splits.types import GroupColumns
from probes.reporting.row_finding import row_finding


@probe(id="DAT039", stage=Stage.DATA, severity=Severity.WARNING)
def speaker_is_in_both_splits(shared_speakers: GroupColumns, groups: GroupColumns) -> Findings:
    """Evaluation speakers also occur in the training set, so metrics do not cover unseen speakers."""
    by_video = any(group.role == "video" and not group.both for group in groups.columns)
    for group in shared_speakers.columns:
        if group.both and group.example:
            rows = sum(count for _, count in group.both)
            told = "the data is split by recording, not by speaker" if by_video else "speakers are not separated"
            yield row_finding(
                group.example,
                f"{len(group.both)} of {group.eval} evaluation speakers are also in training, with {rows} of "
                f"{groups.eval_rows} evaluation rows; {told}",
                "split by speaker, or add a second evaluation set with unseen speakers",
                Severity.NOTE if by_video else None,
                shared=len(group.both),
                speakers=group.eval,
                rows=rows,
            )
