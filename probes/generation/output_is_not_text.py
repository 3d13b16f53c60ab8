import re

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import FreeGeneration

# How sentencepiece models name what stands for no text: sentinels of T5's pretraining, single bytes.
KINDS = {"sentinels": re.compile(r"<extra_id_\d+>"), "single bytes": re.compile(r"<0x[0-9A-Fa-f]{2}>")}
MOST = 0.5  # of what was said: one byte of a rare letter is no fault


@probe(id="GEN006", stage=Stage.GENERATION, severity=Severity.WARNING, explains=("GEN00[789]", "GEN010"))
def output_is_not_text(pretrained_generation: FreeGeneration) -> Findings:
    """A trained model generates nothing, or only sentinel, special or byte tokens."""
    special, names = pretrained_generation.special, pretrained_generation.names
    for row in pretrained_generation.rows:
        if not set(row.labels) - special:
            continue
        strange = [token for token in row.ids if token not in row.labels]
        words = [token for token in row.ids if token not in special and not _kind(names.get(token, ""))]
        for kind in KINDS:
            hits = [token for token in strange if _kind(names.get(token, "")) == kind]
            if hits and len(hits) > MOST * (len(words) + len(hits)):
                yield _finding(
                    row.where, f"{len(hits)} of {len(row.ids)} tokens are {kind} ({names[hits[0]]})", len(hits)
                )
                return
        if not set(row.ids) - special:
            said = " ".join(names.get(token, str(token)) for token in row.ids[:4])
            what = f"only special tokens ({said})" if row.ids else "nothing"
            yield _finding(
                row.where, f"the model generates {what}; its labels have {len(row.labels)} tokens", len(row.ids)
            )
            return


def _kind(name: str) -> str:
    return next((kind for kind, pattern in KINDS.items() if pattern.fullmatch(name)), "")


def _finding(where: str, message: str, count: int) -> Finding:
    fix = "use the prompt and prefix of the pretraining, and suppress tokens that are not text"
    return Finding(where=where, message=f"{message}, expected text", fix=fix, measured={"tokens": count})
