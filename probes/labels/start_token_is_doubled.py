from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.prefix_types import LabelPrefix, LabelPrefixes
from probes.facts.labels.types import LabelRow


@probe(id="LAB008", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def start_token_is_doubled(
    decoder_rows: tuple[LabelRow, ...], decoder_start: int, label_prefixes: LabelPrefixes | None = None
) -> Findings:
    """The decoder start token or another prefix token is doubled in the decoder inputs."""
    doubled = [row for row in decoder_rows if row.scored > 1 and row.first == decoder_start]
    if doubled:
        yield Finding(
            where=doubled[0].where,
            message=f"{len(doubled)} of {len(decoder_rows)} rows start with {decoder_start}, the start token; the "
            "model adds it again, so the decoder sees it twice and learns to output it",
            fix="remove the first label if it equals model.config.decoder_start_token_id (not bos_token_id)",
            measured={"rows": len(doubled), "of": len(decoder_rows), "start_token": decoder_start},
        )
    twice = [row for row in (label_prefixes.rows if label_prefixes else ()) if _twice(row)]
    if twice and not doubled:
        yield Finding(
            where=twice[0].where,
            message=f"{len(twice)} of {len(decoder_rows)} rows start with {' '.join(twice[0].names[:8])}: "
            f"{_twice(twice[0])} is there twice, expected once",
            fix="add the prefix either in the tokenizer or in the collator, not in both",
            measured={"rows": len(twice), "of": len(decoder_rows)},
        )


def _twice(row: LabelPrefix) -> str:
    return next((name for place, name in enumerate(row.names) if name in row.names[:place]), "")
