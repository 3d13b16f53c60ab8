from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import RunSettings
from probes.reporting.setting_finding import setting_finding

RATES = {"wer", "cer", "ter", "mer", "wil", "per", "der", "eer"}
LOW = {"loss", "ppl", "perplexity", "mse", "mae", "rmse", "error"} | RATES
HIGH = {"accuracy", "acc", "f1", "bleu", "sacrebleu", "chrf", "chrf++", "meteor", "precision", "recall", "auc", "comet"}


def low_is_better(metric: str) -> bool | None:
    """By the parts of its name; None where that does not tell."""
    parts = metric.lower().removeprefix("eval_").replace("-", "_").split("_")
    if any(part.startswith("rouge") or part in HIGH for part in parts):
        return False
    return True if any(part in LOW for part in parts) else None


@probe(id="CFG006", stage=Stage.CONFIG, severity=Severity.ERROR)
def greater_is_better_is_wrong(run_settings: RunSettings) -> Findings:
    """greater_is_better is wrong for the best-model metric, so the worst checkpoint is kept."""
    settings = run_settings
    low = low_is_better(settings.metric) if settings.metric else None
    if not (settings.load_best or settings.patience or settings.save_strategy == "best"):
        return
    if low is None or settings.greater_is_better is None or settings.greater_is_better is not low:
        return
    key = "greater_is_better" if settings.place("greater_is_better").file else "metric"
    yield setting_finding(
        settings.place(key),
        f"a {'low' if low else 'high'} value of {settings.metric} is better, but greater_is_better is "
        f"{settings.greater_is_better} (the default is True unless the name ends in loss)",
        f"set greater_is_better to {not low}",
        metric=settings.metric,
        greater_is_better=settings.greater_is_better,
    )
