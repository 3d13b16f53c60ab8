from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import ForcedGeneration


@probe(id="GEN005", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN006", "GEN010"))
def decoded_text_differs_from_labels(forced_generation: ForcedGeneration) -> Findings:
    """Decoded text differs from the labels even when generation is forced to output them."""
    rows = [row for row in forced_generation.rows if row.text is not None and row.reference is not None]
    wrong = (
        []
        if forced_generation.ended_early
        else [row for row in rows if str(row.text).split() != str(row.reference).split()]
    )
    if wrong:
        first = wrong[0]
        yield Finding(
            where=first.where,
            message=f"generation forced to output the labels decodes to {_short(first.text)}, the labels decode to "
            f"{_short(first.reference)}; {len(wrong)} of {len(rows)} rows differ, expected 0",
            fix="check which ids generate removes (prompt, start token) and which tokens decode skips",
            measured={"rows": len(wrong), "of": len(rows)},
        )


def _short(text: str | None) -> str:
    text = text or ""
    return repr(text if len(text) <= 60 else text[:59] + "…")
