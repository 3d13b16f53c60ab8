"""Training arguments in any form: an object of transformers, a dict, or any object with attributes."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any

from probes.facts.settings.types import SettingLocation


@dataclass(frozen=True)
class ArgumentName:
    """A setting that the installed transformers does not know. `now`: what took its place; empty: nothing did."""

    place: SettingLocation
    removed: bool  # True: it was known to an earlier version
    now: str = ""
    nearest: str = ""


@dataclass(frozen=True)
class ArgumentNames:
    """How many settings there are, and those that are not known."""

    count: int
    unknown: tuple[ArgumentName, ...]
    version: str = ""


@dataclass(frozen=True)
class RemovedColumns:
    """Columns that the Trainer removes from the items before collating, and what the collator raises without them."""

    used: tuple[str, ...]
    removed: tuple[str, ...]
    model: str
    error: str = ""  # with the columns removed, where there is none without
    line: str = ""


# What earlier versions of transformers knew, and what took its place; empty: nothing did.
RENAMED = {
    "evaluation_strategy": "eval_strategy",
    "group_by_length": "train_sampling_strategy='group_by_length'",
    "warmup_ratio": "warmup_steps (a number below 1 is a ratio)",
    "no_cuda": "use_cpu",
    "per_gpu_train_batch_size": "per_device_train_batch_size",
    "per_gpu_eval_batch_size": "per_device_eval_batch_size",
    "adafactor": "optim='adafactor'",
    "sharded_ddp": "fsdp",
    "torchdynamo": "torch_compile_backend",
    "include_inputs_for_metrics": "include_for_metrics",
    "dispatch_batches": "accelerator_config",
    "split_batches": "accelerator_config",
    "push_to_hub_model_id": "hub_model_id",
    "push_to_hub_token": "hub_token",
    "tokenizer": "Trainer(processing_class=…)",
    **dict.fromkeys(
        ("overwrite_output_dir", "save_safetensors", "logging_dir", "use_mps_device", "fp16_opt_level"), ""
    ),
    **dict.fromkeys(("fp16_backend", "half_precision_backend", "jit_mode_eval", "use_ipex", "tpu_num_cores"), ""),
    **dict.fromkeys(("past_index", "ray_scope", "include_tokens_per_second", "push_to_hub_organization"), ""),
}
# What loops of one's own call the same things.
SYNONYMS = {
    "learning_rate": ("lr",),
    "num_train_epochs": ("epochs", "max_epochs", "num_epochs"),
    "per_device_train_batch_size": ("batch_size", "train_batch_size"),
    "gradient_accumulation_steps": ("accumulate_grad_batches", "accumulation_steps", "grad_accum"),
    "eval_strategy": ("evaluation_strategy",),
    "warmup_steps": ("warmup_ratio",),
    "use_cpu": ("no_cuda",),
}


class ArgumentsFromFile(dict[str, Any]):
    """Arguments from a file, with the line of each."""

    file: str = ""
    lines: Mapping[str, int] = {}


@cache
def known() -> Mapping[str, Any]:
    """Every name that the installed transformers takes, with its default."""
    from transformers import Seq2SeqTrainingArguments

    return {field.name: field.default for field in dataclasses.fields(Seq2SeqTrainingArguments)}


def as_mapping(arguments: Any) -> Mapping[str, Any]:
    """Names and values, as a person wrote them."""
    return arguments if isinstance(arguments, Mapping) else getattr(arguments, "__dict__", {})


def are_transformers(arguments: Any) -> bool:
    """An object of theirs; or a dict most of whose names are theirs, now or in an earlier version."""
    if is_hf_arguments(arguments):
        return True
    names = [name for name in as_mapping(arguments) if isinstance(name, str)]
    theirs = [name for name in names if name in RENAMED or name in known()]
    return isinstance(arguments, Mapping) and 2 * len(theirs) > len(names)


def is_hf_arguments(arguments: Any) -> bool:
    return any(cls.__module__.startswith("transformers.training_args") for cls in type(arguments).__mro__)


def place_of(arguments: Any, name: str) -> SettingLocation:
    if isinstance(arguments, ArgumentsFromFile):
        return SettingLocation(name, arguments.file, arguments.lines.get(name))
    return SettingLocation(f"training_arguments.{name}")


def value_of(arguments: Any, name: str, default: Any = None) -> tuple[str, Any]:
    """The value, under this name or one that means the same; and the name it was found under."""
    values = as_mapping(arguments)
    for alias in (name, *SYNONYMS.get(name, ())):
        if values.get(alias) is not None:
            return alias, getattr(values[alias], "value", values[alias])  # an enumeration's own word
    return name, default


def names_of(arguments: Any) -> ArgumentNames:
    """Attributes of an object are reported only if an earlier version knew them: it may carry anything else."""
    import transformers

    own = {field.name for field in dataclasses.fields(arguments)} if dataclasses.is_dataclass(arguments) else set()
    names = [name for name in as_mapping(arguments) if isinstance(name, str) and name not in {*known(), *own}]
    reported = [name for name in names if name in RENAMED or not is_hf_arguments(arguments)]
    unknown = tuple(_unknown_name(arguments, name) for name in reported)
    return ArgumentNames(len(as_mapping(arguments)), unknown, transformers.__version__)


def _unknown_name(arguments: Any, name: str) -> ArgumentName:
    near = get_close_matches(name, known(), n=1, cutoff=0.8)
    return ArgumentName(place_of(arguments, name), name in RENAMED, RENAMED.get(name, ""), near[0] if near else "")
