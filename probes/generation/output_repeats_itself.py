from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import FreeGeneration

TIMES = 6  # in a row; a trained model says no word of the labels so often
PERIODS = (1, 2, 3)


@probe(id="GEN007", stage=Stage.GENERATION, severity=Severity.WARNING, explains=("GEN00[89]", "GEN010"))
def output_repeats_itself(pretrained_generation: FreeGeneration) -> Findings:
    """A trained model repeats the same token or short sequence of tokens."""
    no_row_ends = not any(row.ended for row in pretrained_generation.rows)
    for row in pretrained_generation.rows:
        text = [token for token in row.ids if token not in pretrained_generation.special]
        wanted = len([token for token in row.labels if token not in pretrained_generation.special])
        for period in PERIODS:
            times, start = _longest(text, period)
            if not row.ended and start >= (wanted // 2 if no_row_ends else wanted - 1):
                continue  # for want of an end, after all was said; where none ends, also after another, shorter text
            if times >= TIMES and times > _longest(list(row.labels), period)[0]:
                said = " ".join(pretrained_generation.names.get(token, str(token)) for token in text[-period:])
                yield Finding(
                    where=row.where,
                    message=f"{said} is repeated {times} times in a row, more often than anything in the labels",
                    fix="check that the trained weights are loaded and that the tied weights are still tied",
                    measured={"times": times, "period": period},
                )
                return


def _longest(ids: list[int], period: int) -> tuple[int, int]:
    """The longest run of one group of so many tokens: how many groups, and where it begins."""
    longest = run = start = 0
    for place in range(period, len(ids)):
        run = run + 1 if ids[place] == ids[place - period] else 0
        if run > longest:
            longest, start = run, place - period - run + 1
    return (longest + period) // period if longest else 1, start
