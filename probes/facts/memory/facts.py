"""The facts of memory: predicted with fake tensors, so that nothing of it is allocated."""

from dataclasses import replace
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import Unavailable
from probes.facts.core.require import require_items
from probes.facts.core.step_setup import StepSetup
from probes.facts.corpus.types import Corpus
from probes.facts.generation.types import GatheredLogits
from probes.facts.memory.evaluation_types import EvaluationSettings
from probes.facts.memory.types import MemoryLimit, MemoryPlan, MemoryPrediction, StepOptions
from probes.facts.settings.types import RunSettings

CANDIDATES = 24  # items whose size is measured where no manifest tells it


@provider
def memory_limit(
    device_memory: Any = None, device_name: str | None = None, configured_device_memory: str | None = None
) -> MemoryLimit:
    """What the run may use: as stated, else the GPU's memory, else this machine's."""
    from probes.facts.memory.limits import gpu_named, limit_here, stated_limit

    if stated := device_memory or (None if device_name else configured_device_memory):
        return stated_limit(stated)
    return stated_limit(f"{gpu_named(device_name).gigabytes:g}GB") if device_name else limit_here()


@provider
def all_memory_changes() -> bool:
    """Whether to rank what would lower the peak although it fits; a command requests it."""
    return False


@provider(may_be_empty=True)
def memory_remarks() -> tuple[str, ...]:
    """What was assumed by whoever laid out model and batches."""
    return ()


@provider
def memory_batches(
    batch_drawing: Any,
    train_dataset: Any = None,
    collate: Any = None,
    train_manifest: Corpus | None = None,
    run_settings: RunSettings | None = None,
) -> dict[str, Any]:
    """The longest, median and shortest batch: of the whole data set where it is given, else of what was drawn."""
    from probes.facts.core.fork import ChildRaised
    from probes.facts.memory.batches import by_size, collated_by_size, spread_numbers

    drawn = list(batch_drawing.batches)
    if train_dataset is None or collate is None or run_settings is None or not run_settings.batch_size:
        return by_size(drawn)
    require_items(train_dataset)
    told = train_manifest.rows if train_manifest else ()
    lengths = [(row.seconds or 0.0, sum(map(len, row.texts.values()))) for row in told]
    rows = min(run_settings.batch_size, len(train_dataset))
    try:
        numbers = spread_numbers(len(train_dataset), rows, lengths, CANDIDATES)
        return collated_by_size(train_dataset, numbers, collate, rows)
    except ChildRaised as reason:
        raise Unavailable(str(reason)) from reason


@provider
def memory_options(
    memory_limit: MemoryLimit,
    run_settings: RunSettings | None = None,
    precision: str | None = None,
    config_values: Any = None,
) -> StepOptions:
    """How the run takes its steps on that device; without a GPU, fp16 is not used."""
    settings, gpu = run_settings or RunSettings("other"), memory_limit.gpu
    chosen = "fp16" if settings.fp16 else "bf16" if settings.bf16 else (precision or "fp32")
    return StepOptions(
        precision="fp32" if chosen == "fp16" and not gpu else chosen,
        gpu=gpu,
        accumulates=(settings.accumulation or 1) > 1,
        checkpointing=settings.checkpointing,
        outputs_to_fp32=run_settings is not None and settings.kind != "other",
    )


@provider
def evaluation_settings(
    run_settings: RunSettings | None = None,
    config_values: Any = None,
    gathered_logits: GatheredLogits | None = None,
) -> EvaluationSettings:
    """What an evaluation does; without settings there is none."""
    if run_settings is None:
        return EvaluationSettings(evaluates=False, saves=False)
    generates = run_settings.predict_with_generate and run_settings.eval_strategy != "no"
    beams = config_values["training.generation_num_beams"][0] if config_values else 1
    return EvaluationSettings(
        evaluates=run_settings.eval_strategy not in ("no", None),
        tokens=(run_settings.generation_max_length or 0) * generates,
        beams=beams,
        logits=gathered_logits.bytes if gathered_logits else 0,
        saves=run_settings.save_strategy not in ("no", None),
    )


@provider
def memory_prediction(
    update_setup: StepSetup,
    memory_batches: dict[str, Any],
    memory_options: StepOptions,
    evaluation_settings: EvaluationSettings,
    memory_remarks: tuple[str, ...] = (),
) -> MemoryPrediction:
    """The peak of the run, on the longest batch."""
    from probes.facts.memory.batches import LONGEST
    from probes.facts.memory.predict import predict

    found = predict(update_setup, LONGEST, memory_batches[LONGEST], memory_options, evaluation_settings)
    return replace(found, remarks=(*memory_remarks, *found.remarks))


@provider
def memory_plan(
    memory_prediction: MemoryPrediction,
    memory_limit: MemoryLimit,
    update_setup: StepSetup,
    memory_batches: dict[str, Any],
    evaluation_settings: EvaluationSettings,
    run_settings: RunSettings | None = None,
    all_memory_changes: bool = False,
) -> MemoryPlan:
    """The prediction next to the device; where it does not fit, what would make it fit."""
    from probes.facts.memory.batches import LONGEST
    from probes.facts.memory.changes import ChangeRanking
    from probes.facts.memory.one_step import with_allocator_peak
    from probes.facts.memory.predict import with_other_batches
    from probes.facts.memory.trials import SettingNames

    if all_memory_changes:
        others = {name: batch for name, batch in memory_batches.items() if batch is not memory_batches[LONGEST]}
        memory_prediction = with_other_batches(memory_prediction, update_setup, others)
        memory_prediction = with_allocator_peak(memory_prediction, update_setup, memory_batches[LONGEST])
    if memory_prediction.peak <= memory_limit.usable and not all_memory_changes:
        return MemoryPlan(memory_prediction, memory_limit)
    names = SettingNames.of(run_settings)
    ranking = ChangeRanking(update_setup, memory_batches, memory_prediction, evaluation_settings, memory_limit, names)
    return ranking.plan()
