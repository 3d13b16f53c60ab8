from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.measured.generation import FreeOutput

TIMES = 6  # in a row; a trained model says no word of the labels so often
PERIODS = (1, 2, 3)


@probe(id="GEN007", stage=Stage.GENERATION, severity=Severity.WARNING, explains=("GEN00[89]", "GEN010"))
def output_repeats_itself(trained_output: FreeOutput) -> Iterator[Finding]:
    """A trained model says one token, or a few in turn, again and again."""
    for row in trained_output.rows:
        text = [token for token in row.ids if token not in trained_output.special]
        for period in PERIODS:
            times = _times(text, period)
            if times >= TIMES and times > _times(list(row.labels), period):
                said = " ".join(trained_output.names.get(token, str(token)) for token in text[-period:])
                yield Finding(
                    where=row.where,
                    message=f"{said} is said {times} times in a row, and the labels repeat nothing so often",
                    fix="check that the weights are the trained ones and that decoder and head share what they shared",
                    measured={"times": times, "period": period},
                )
                return


def _times(ids: list[int], period: int) -> int:
    """The longest run of one group of so many tokens, counted in groups."""
    longest = run = 0
    for place in range(period, len(ids)):
        run = run + 1 if ids[place] == ids[place - period] else 0
        longest = max(longest, run)
    return (longest + period) // period if longest else 1
