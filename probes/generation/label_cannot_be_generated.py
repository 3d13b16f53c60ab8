from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import ForbiddenLabel, ForcedGeneration

MOST, SOME = 0.5, 0.1  # of the rows


@probe(id="GEN002", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN00[3-9]", "GEN01*"))
def label_cannot_be_generated(forced_generation: ForcedGeneration) -> Findings:
    """A generation setting or logits processor forbids tokens that the labels contain."""
    for broken in forced_generation.forbidden:
        setting = f"generation_config.{broken.setting}" if broken.setting else broken.rule
        end = " (the EOS token)" if broken.token == forced_generation.end else ""
        yield Finding(
            where=f"{broken.where}, label {broken.position}",
            message=f"{setting} forbids {broken.name} (id {broken.token}){end} here, but the labels contain it; "
            f"{broken.rows} of {broken.of} rows cannot be generated, expected 0",
            fix=f"change {setting} so that it allows all label tokens (None allows every token)",
            measured={"token": broken.token, "rows": broken.rows, "of": broken.of, "rule": broken.rule},
            severity=_severity(broken),
        )


def _severity(broken: ForbiddenLabel) -> Severity | None:
    """Most rows cost the evaluation. A few lose a word: to a symbol that Whisper's released list suppresses, or to a
    rule against repeating, which is meant to be broken by some."""
    share = broken.rows / max(broken.of, 1)
    if share > MOST:
        return None
    return Severity.WARNING if share > SOME and broken.setting != "no_repeat_ngram_size" else Severity.NOTE
