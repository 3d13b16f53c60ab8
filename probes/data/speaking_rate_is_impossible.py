from diagnose import Findings, Severity, Stage, probe
from probes.facts.text.types import SpeakingRates
from probes.reporting.row_finding import row_finding, worst_first

TIMES = 4.0  # the corpus's own median; the demo's extremes are 0.6 and 1.4 times theirs
ROWS = 8  # below, a median says little
FASTEST = 60.0  # letters a second, where there is no median: twice the fastest speakers
LETTERS = 8  # a single word may stand in a long clip


@probe(id="DAT030", stage=Stage.DATA, severity=Severity.WARNING, spoils_row=True)
def speaking_rate_is_impossible(speaking_rates: SpeakingRates) -> Findings:
    """The speaking rate is impossible: a text is far too long or too short for its audio."""
    usual = speaking_rates.median if speaking_rates.count >= ROWS else None
    fast = [pace for pace in speaking_rates.rows if pace.rate > (TIMES * usual if usual else FASTEST)]
    slow = [pace for pace in speaking_rates.rows if usual and pace.rate < usual / TIMES and pace.letters >= LETTERS]
    expected = f"about {usual:.1f} as in the other clips" if usual else f"at most {FASTEST:g}"
    for pace in [*worst_first((pace.rate, pace) for pace in fast), *worst_first((-pace.rate, pace) for pace in slow)]:
        yield row_finding(
            pace.row,
            f"{pace.letters} letters of {pace.column} in {pace.seconds:.2f} s are {pace.rate:.1f} letters/s, expected "
            f"{expected}",
            "listen to the clip: correct the text, cut the clip again, or remove the row",
            None if pace in fast else Severity.NOTE,  # a long silence around a few words does little harm
            rate=pace.rate,
            usual=usual,
        )
