from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import EvaluationPair, FreeGeneration, SeedRepeats
from probes.reporting.evaluation_figures import differing_figures


@probe(id="GEN013", stage=Stage.GENERATION, severity=Severity.WARNING, explains=("GEN010",))
def evaluation_is_random(seed_repeats: SeedRepeats) -> Findings:
    """Evaluation is random: the same weights give different outputs or metrics."""
    heard, figures = seed_repeats.output, seed_repeats.evaluated
    place = _parted(heard) if heard is not None else None
    if heard is not None and (place is not None or heard.sampling):
        row = heard.rows[place or 0]
        cause = f"{heard.sampling} is on" if heard.sampling else "an operation still draws random numbers in eval mode"
        again = "may be" if place is None else f"is, {_words(row.ids)} and {_words(heard.second[place])},"
        yield Finding(
            where=row.where,
            message=f"the output of one row {again} different under two seeds: {cause}, expected the same",
            fix="evaluate with do_sample=False"
            if heard.sampling
            else "turn sampling off in generate, and pass training=self.training to dropout",
            measured={"sampling": bool(heard.sampling), "parted": place is not None},
        )
    elif figures is not None and not figures.training and (names := differing_figures(figures)):
        name = names[0]
        yield Finding(
            where=f"evaluate, {name}",
            message=f"{figures.figures[name]:.6g} and {figures.second[name]:.6g} from the same weights under two "
            f"seeds, with every module in eval mode{_cause(figures)}; expected the same",
            fix="pass training=self.training to dropout instead of a constant"
            if figures.dropout
            else "evaluate fixed rows and draw no random numbers in evaluate",
            measured={"first": figures.figures[name], "second": figures.second[name]},
        )


def _parted(heard: FreeGeneration) -> int | None:
    pairs = zip(heard.rows, heard.second, strict=False)
    apart = [one.ids[: len(other)] != other[: len(one.ids)] for one, other in pairs]
    return apart.index(True) if True in apart else None


def _cause(figures: EvaluationPair) -> str:
    return f", but {figures.dropout[0]} applies dropout anyway" if figures.dropout else ""


def _words(ids: tuple[int, ...]) -> str:
    return " ".join(map(str, ids[:6]))
