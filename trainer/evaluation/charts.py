"""Charts of runs: loss curves, and metrics against their targets."""

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from trainer.evaluation.metrics import LABELS
from trainer.evaluation.run_history import EvaluationResult, RunHistory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, for color-blind readers too.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
INK, FAINT = "#333333", "#DDDDDD"
CURVES = {
    "learning_rate": ("learning_rate.png", "Learning rate", "learning rate"),
    "grad_norm": ("gradient_norm.png", "Gradient norm before clipping", "L2 norm"),
} | {
    f"eval_{metric}": (f"{metric}_over_steps.png", f"{label} on the dev set", f"{label} (0 to 100)")
    for metric, label in LABELS.items()
}
COMPARISONS = {
    "wer_comparison.png": (("wer", "cer"), "Transcription: error rates, lower is better"),
    "bleu_comparison.png": (("bleu", "chrf"), "Translation: BLEU and chrF, higher is better"),
    "rouge_comparison.png": (("rouge1", "rouge2", "rougeL"), "Summaries: ROUGE, higher is better"),
}


def draw(runs: Sequence[RunHistory], results: Sequence[EvaluationResult], output_dir: str | Path) -> tuple[Path, ...]:
    """Draw the charts that there are figures for; the files written."""
    folder = Path(output_dir)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = [_save(loss_figure(runs), folder / "training_loss.png")] if runs else []
    for key, (name, title, unit) in CURVES.items():
        known = [run for run in runs if key in run.curves]
        if known:
            drawn.append(_save(curve_figure(known, key, title, unit), folder / name))
    for name, (metrics, title) in COMPARISONS.items():
        measured = [result for result in results if any(metric in result.figures for metric in metrics)]
        if measured:
            drawn.append(_save(comparison_figure(measured, metrics, title), folder / name))
    return tuple(drawn)


def loss_figure(runs: Sequence[RunHistory]) -> "Figure":
    """One line for each run, dotted where it was measured on the dev set."""
    figure, axes = _canvas("Loss while training", width=7.5)
    for index, run in enumerate(runs):
        color = COLORS[index % len(COLORS)]
        axes.plot(*_sides(run.training), color=color, linewidth=1.8, label=run.name)
        axes.plot(*_sides(run.evaluation), color=color, linewidth=1.4, linestyle=":", marker="o", markersize=4)
    if any(run.evaluation for run in runs):
        axes.plot([], [], color=INK, linestyle=":", marker="o", markersize=4, label="on the dev set")
    return _over_steps(figure, axes, "loss")


def curve_figure(runs: Sequence[RunHistory], key: str, title: str, unit: str) -> "Figure":
    """One line for each run."""
    figure, axes = _canvas(title, width=7.5)
    for index, run in enumerate(runs):
        color, few = COLORS[index % len(COLORS)], len(run.curves[key]) < 30
        axes.plot(*_sides(run.curves[key]), color=color, linewidth=1.8, marker="o" if few else "", label=run.name)
    return _over_steps(figure, axes, unit)


def _over_steps(figure: "Figure", axes: "Axes", unit: str) -> "Figure":
    axes.set_xlabel("step")
    axes.set_ylabel(unit)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, labelcolor=INK)
    return figure


def comparison_figure(results: Sequence[EvaluationResult], metrics: Sequence[str], title: str) -> "Figure":
    """A group of bars for each model, one bar for each metric, and a dashed line at its target."""
    figure, axes = _canvas(title, width=max(6.0, 2.2 + 1.3 * len(results)))
    width = 0.7 / len(metrics)
    for index, metric in enumerate(metrics):
        color, target = COLORS[index % len(COLORS)], common_target(results, metric)
        offsets = [group + (index - (len(metrics) - 1) / 2) * width for group in range(len(results))]
        heights = [result.figures.get(metric, float("nan")) for result in results]
        bars = axes.bar(offsets, heights, width * 0.92, color=color, label=_legend(metric, target), zorder=2)
        axes.bar_label(bars, ["" if isnan(height) else f"{height:.1f}" for height in heights], padding=2, color=INK)
        if target:
            axes.axhline(float(target[2:]), color=color, linestyle="--", linewidth=1.6, zorder=1)
    axes.set_xticks(range(len(results)), [_wrapped(result.name) for result in results])
    axes.set_xlim(-0.7, len(results) - 0.3)
    axes.margins(y=0.12)
    axes.set_ylim(bottom=0)
    # Below the bars, where it covers none of them.
    figure.legend(frameon=False, ncols=len(metrics), loc="outside lower center", labelcolor=INK, fontsize=9)
    return figure


def common_target(results: Sequence[EvaluationResult], metric: str) -> str | None:
    """The target of a metric, such as `< 15`; None where the results have none, or different ones."""
    targets = {result.targets.get(metric) for result in results if metric in result.figures}
    return targets.pop() if len(targets) == 1 else None


def _legend(metric: str, target: str | None) -> str:
    return f"{LABELS[metric]} (target {target})" if target else LABELS[metric]


def _canvas(title: str, width: float) -> tuple["Figure", "Axes"]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, 4.4), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", color=INK, fontsize=12, fontweight="bold")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#999999")
    axes.grid(axis="y", color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK)
    return figure, axes


def _sides(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _wrapped(name: str) -> str:
    """Long names on two lines, broken between words, near the middle."""
    breaks = [index for index, character in enumerate(name) if character in "_-. "]
    if len(name) <= 14 or not breaks:
        return name
    middle = min(breaks, key=lambda index: abs(index - len(name) / 2))
    return f"{name[:middle]}\n{name[middle + 1 :]}"


def _save(figure: "Figure", path: Path) -> Path:
    draft = path.with_name(f".{path.name}")
    figure.savefig(draft, format="png")
    return draft.replace(path)
