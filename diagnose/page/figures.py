"""From the figures of a report to charts: a figure is plain data by the name of its fact."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from diagnose.page.chart import Chart
from diagnose.page.data_charts import clip_length_charts, label_coverage_chart, level_chart
from diagnose.page.learning_charts import overfit_chart, rate_chart, schedule_chart, sweep_chart
from diagnose.page.memory_charts import memory_charts
from diagnose.page.model_charts import gradient_chart, module_chart, range_chart
from diagnose.page.run_charts import run_charts

Figure = Mapping[str, Any]
CHARTS: Mapping[str, Callable[[Figure], Iterator[Chart]]] = {
    "records": run_charts,
    "clip_lengths": clip_length_charts,
    "recorded_files": level_chart,
    "label_coverage": label_coverage_chart,
    "parameters": module_chart,
    "memory_plan": memory_charts,
    "first_step": gradient_chart,
    "precision_comparison": range_chart,
    "overfit_curve": overfit_chart,
    "rate_trial": rate_chart,
    "rate_sweep": sweep_chart,
    "schedule_curve": schedule_chart,
}


def charts_of(figures: Mapping[str, Figure]) -> list[Chart]:
    """In the order of the stages; a figure that nobody draws is in the JSON report all the same."""
    if "records" in figures and "reference_records" in figures:
        both = {**figures["records"], "reference": figures["reference_records"]["series"]}
        figures = {**figures, "records": both}
    return [chart for name, draw in CHARTS.items() if name in figures for chart in draw(figures[name])]
