from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import GenerationLimit, LabelLengths
from probes.reporting.setting_finding import setting_finding

MANY = 0.5  # of the rows: then the figures are of cut texts, whatever the model says
SOME = 0.05  # fewer are outliers, which a limit may well cut


@probe(id="CFG009", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("GEN*",))
def generation_limit_is_too_short(generation_limit: GenerationLimit, label_lengths: LabelLengths) -> Findings:
    """The generation length limit is shorter than the labels, so generated texts are truncated."""
    limit, lengths = generation_limit.tokens, label_lengths.tokens
    share = label_lengths.share_above(limit)
    if share <= SOME:
        return
    most, usual = lengths[-1], lengths[int(0.95 * (len(lengths) - 1))]
    yield setting_finding(
        generation_limit.place,
        f"generation is limited to {limit} tokens; the labels of {share:.0%} of {len(lengths)} rows are longer (95th "
        f"percentile {usual}, maximum {most})",
        f"set generation_max_length to {most + 1} or more",
        None if share > MANY else Severity.WARNING,
        limit=limit,
        p95=usual,
        longest=most,
    )
