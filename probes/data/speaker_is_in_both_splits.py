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
            told = "the split is by recording, not by voice" if by_video else "nothing keeps them apart"
            yield row_finding(
                group.example,
                f"{len(group.both)} of {group.eval} speakers are on both sides, with {rows} of "
                f"{groups.eval_rows} evaluation rows; {told}",
                "split by speaker, or keep a second evaluation set of unseen voices",
                Severity.NOTE if by_video else None,
                shared=len(group.both),
                speakers=group.eval,
                rows=rows,
            )
