from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.measured.generation import SteeredOutput


@probe(id="GEN002", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN00[3-9]", "GEN01*"))
def label_cannot_be_generated(steered_output: SteeredOutput) -> Iterator[Finding]:
    """A rule of generation forbids what the labels say: however well the model learns, it may not say it."""
    for broken in steered_output.forbidden:
        setting = f"generation_config.{broken.setting}" if broken.setting else broken.rule
        end = " (the end token)" if broken.token == steered_output.end else ""
        yield Finding(
            where=f"{broken.where}, label {broken.position}",
            message=f"{setting} forbids {broken.name} (id {broken.token}){end} here, where the labels say it; "
            f"{broken.rows} of {broken.of} rows cannot be said, expected 0",
            fix=f"change {setting} so that it allows what the labels hold (None lets every token through)",
            measured={"token": broken.token, "rows": broken.rows, "of": broken.of, "rule": broken.rule},
            # a rare symbol that Whisper's released list suppresses costs a word; most rows cost the evaluation
            severity=None if 2 * broken.rows > broken.of else Severity.WARNING,
        )
