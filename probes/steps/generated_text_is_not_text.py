import re

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding

PATIENCE = 500  # steps: before them a model may well say nothing of sense
STRANGE = re.compile(r"<extra_id_\d+>|<0x[0-9A-Fa-f]{2}>|[\x00-\x08\ufffd]")
# A word, or up to three in turn, six times in a row; a few letters without a space between them, ten times. Where a
# reference does so too, it is no fault.
REPEATS = re.compile(r"(\S+(?:\s+\S+){0,2})(?:\s+\1){5,}|(\S{1,12}?)\2{9,}")
MOST = 0.5  # of the texts


@probe(id="STP022", stage=Stage.STEPS, severity=Severity.WARNING)
def generated_text_is_not_text(records: Records) -> Findings:
    """Generated texts are empty, repetitive, or made of sentinel tokens or bytes."""
    said = [row for row in records.rows if row.texts]
    if not said:
        return
    row, begins = said[-1], records.phase.rows[0].step
    texts = [one for one in row.texts if one.reference.strip() or not one.reference]
    kinds = {
        "sentinel tokens or bytes": [
            o.text for o in texts if STRANGE.search(o.text) and not STRANGE.search(o.reference)
        ],
        "empty": [o.text for o in texts if not o.text.strip()],
        "one phrase repeated": [o.text for o in texts if REPEATS.search(o.text) and not REPEATS.search(o.reference)],
    }
    early = row.step - begins < PATIENCE
    for kind, hits in kinds.items():
        if len(hits) > MOST * len(texts) and not (early and not kind.startswith("sentinel")):
            shown = f" ({hits[0][:60]!r})" if hits[0].strip() else ""
            yield step_finding(
                records,
                row.step,
                f"{len(hits)} of {len(texts)} generated texts are {kind}{shown}, expected text",
                "check that tokenizer and model match, and use the prompt or prefix of the pretraining",
                Severity.NOTE if early else None,
                texts=len(texts),
                hits=len(hits),
            )
            return
