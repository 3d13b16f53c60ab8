"""How to generate, decode and evaluate with what is given: a Trainer, a model of transformers, a tokenizer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from probes.facts.core.batch_rows import select_rows
from probes.facts.core.observer import restore_entries
from probes.facts.core.tokens import special_tokens
from probes.facts.core.types import FirstLoss, SpecialIds
from probes.facts.first_step.types import FirstStep
from probes.facts.generation.run_generation import GenerationRunner, shortest_and_longest
from probes.facts.generation.trials import GenerationContext
from probes.facts.generation.types import GatheredLogits, GenerationRows
from probes.facts.labels.types import LabelRow

ROOM = 8  # tokens beside those of the labels: the start, the end, and what shows that generation goes on


def generate_of_model(model: Any, batch: Any) -> Any:
    """The model's own method, on its main input and the mask beside it; it takes no labels."""
    main = getattr(model, "main_input_name", "input_ids")
    if not isinstance(batch, Mapping) or main not in batch:
        raise TypeError(f"the batch has no {main}: pass generate")
    given = {name: batch[name] for name in (main, "attention_mask") if name in batch}
    return model.generate(**given)


def generate_of_trainer(trainer: Any) -> Callable[[Any, Any], Any]:
    """Its prediction step, overridden or not, with the lengths and beams of its arguments."""

    def generated(model: Any, batch: Any) -> Any:
        with restore_entries(vars(trainer)):
            _take_arguments(trainer)
            if trainer.args.eval_strategy == "no" and isinstance(batch, Mapping) and "labels" in batch:
                # Only a call of evaluate or predict generates then, and says the length itself.
                trainer._gen_kwargs.setdefault("max_length", batch["labels"].shape[-1] + ROOM)
            return trainer.prediction_step(model, batch, prediction_loss_only=False)[1]

    return generated


def _take_arguments(trainer: Any) -> None:
    """What Seq2SeqTrainer.evaluate notes down before its loop begins."""
    chosen = {"max_length": trainer.args.generation_max_length, "num_beams": trainer.args.generation_num_beams}
    trainer._gen_kwargs = {name: value for name, value in chosen.items() if value is not None}


def decode_of(tokenizer: Any) -> Callable[[Any], list[str]]:
    padding = next((i for i in (tokenizer.pad_token_id, tokenizer.eos_token_id) if isinstance(i, int)), 0)

    def decoded(ids: Any) -> list[str]:
        ids = torch.as_tensor(ids)
        return list(tokenizer.batch_decode(ids.masked_fill(ids < 0, padding), skip_special_tokens=True))

    return decoded


def evaluation_of(trainer: Any, loader: Any) -> dict[str, float]:
    """As Seq2SeqTrainer.evaluate begins it; whoever calls this keeps the Trainer."""
    if hasattr(trainer.args, "generation_max_length"):
        _take_arguments(trainer)
    trainer.gather_function = trainer.accelerator.gather
    loop = trainer.evaluation_loop(loader, "evaluation", prediction_loss_only=trainer.compute_metrics is None)
    return dict(loop.metrics)


def select_generation_rows(
    rows: Sequence[LabelRow], special: SpecialIds, step: FirstStep, tokenizer: Any
) -> GenerationRows:
    """The shortest and the longest row of the first batch."""
    labels = [[token for token in row.ids if token >= 0] for row in rows]
    no_text = frozenset(special_tokens(tokenizer)) if tokenizer is not None else frozenset()
    chosen = shortest_and_longest([row or [0] * 10_000 for row in labels], no_text)
    chosen = [row for row in chosen if labels[row]] or chosen[:1]
    seconds = step.forward_seconds + step.backward_seconds
    classes = (step.loss.vocabulary if step.loss else None) or 0
    picked = tuple(rows[row] for row in chosen)
    return GenerationRows(tuple(chosen), len(rows), picked, special, no_text, seconds, classes)


def context_of(
    chosen: GenerationRows, model: torch.nn.Module, generate: Any, batch: Any, decode: Any, tokenizer: Any
) -> GenerationContext:
    own = select_rows(batch, chosen.indices, chosen.batch_size)
    runner = GenerationRunner(model, generate, own, chosen.pass_seconds, chosen.classes)
    return GenerationContext(runner, chosen.rows, chosen.special, decode, _namer(tokenizer), chosen.no_text)


def _namer(tokenizer: Any) -> Callable[[int], str]:
    convert = getattr(tokenizer, "convert_ids_to_tokens", None)
    if not callable(convert):
        return str

    def name(token: int) -> str:
        """As text where the piece is text: a byte-level piece spells its letters in signs of its own."""
        if not 0 <= token < len(tokenizer):
            return str(token)
        text = str(tokenizer.decode([token])).strip()
        return text if text.isprintable() and text and "\ufffd" not in text else str(convert(token))

    return name


def detects_language(model: Any) -> bool:
    """Whether Whisper detects the language: then it generates the first token of its prompt itself."""
    settings = getattr(model, "generation_config", None)
    return getattr(settings, "language", None) is None and bool(getattr(settings, "lang_to_id", None))


def gathered_logits_of(trainer: Any, loss: FirstLoss, rows: int) -> GatheredLogits:
    import psutil

    shape = loss.logits.shape if loss.logits else (1, 1, 1)
    length = shape[1] if len(shape) == 3 else 1
    width = 2 if loss.dtype in ("float16", "bfloat16") else 4
    share = int(getattr(trainer.args, "eval_accumulation_steps", None) or 0)
    memory = psutil.virtual_memory().total
    if not share and torch.cuda.is_available() and trainer.args.device.type == "cuda":
        memory = torch.cuda.mem_get_info(trainer.args.device)[1]
    return GatheredLogits(rows, length, shape[-1], width, memory)
