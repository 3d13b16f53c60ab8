"""Findings about an error that was raised, with the fix that its text suggests."""

from collections.abc import Mapping

from diagnose import Finding
from diagnose.engine.types import Number
from probes.facts.core.types import Failure
from probes.reporting.code_finding import code_finding

# What was running, then words of the error's message or the name of its class, with the fix; the first that fits.
CURES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "DataLoader": (
        ("KeyError", "return that key from the dataset; with a transformers Trainer set remove_unused_columns=False"),
        ("FileNotFoundError", "correct the path, or take the row out of the manifest"),
        ("TimeoutError", "find what blocks in the dataset: a lock, a pipe, or a download"),
    ),
    "forward": (
        ("mask_length", "shorten mask_time_length, or drop rows with fewer frames than it"),
        ("kernel size", "drop rows that are shorter than the kernel, or pad them"),
        ("more than 1 value per channel", "drop the last batch if it has one row: batch norm needs two"),
        (
            "input_ids or",
            "let the collator make decoder_input_ids: DataCollatorForSeq2Seq(model=…); label smoothing needs them",
        ),
        ("between 0 and 1", "give the scores to binary_cross_entropy_with_logits, without a sigmoid"),
        ("out of bounds", "make the head as wide as there are classes: labels go from 0 to its width less one"),
        ("out of range", "resize the embeddings to the tokenizer, or use the tokenizer that belongs to the model"),
        ("unexpected keyword", "return only keys that forward takes: drop the extra one in the collator"),
        ("missing", "return the key that forward asks for from the collator"),
        ("same device", "move the batch and every part of the model to one device"),
        ("out of memory", "halve the batch size and double gradient_accumulation_steps"),
        ("allocate memory", "halve the batch size and double gradient_accumulation_steps"),
        ("same dtype", "give weights and batch one dtype: float32, with autocast around the forward pass"),
        ("expected scalar type", "give labels as integers (long) and inputs in the dtype of the weights"),
        ("exceed", "cut or drop what is longer than the model's position table"),
        ("channels", "build features with the extractor of this very model: mel bins and channels must agree"),
        ("target batch_size", "flatten scores and labels alike: as many rows of scores as there are labels"),
        ("shape", "make the sizes on both sides of this module agree"),
        ("size", "make the sizes on both sides of this module agree"),
    ),
    "backward": (
        (
            "does not require grad",
            "keep the loss attached to parameters that train: no detach(), item(), no_grad or full freeze",
        ),
        (
            "modified by an inplace operation",
            "replace the in-place operation (x += y, x[i] = y) by one that makes a new tensor",
        ),
        ("second time", "build the graph anew in every step: keep no tensor of an earlier one without detach()"),
    ),
    "training_step": (
        ("second time", "detach() what is carried over from one call of training_step to the next"),
        ("does not require grad", "take the no_grad or detach() out of training_step"),
        ("inplace", "carry no tensor with a graph over an update: detach() it"),
    ),
    "second step": (
        ("second time", "detach() what {module} keeps from step to step, or make it anew in every forward pass"),
        ("inplace", "detach() what {module} keeps from step to step: its graph saw weights that have changed since"),
        ("size", "reset what {module} keeps from step to step: it has the last batch's size"),
    ),
    "distributed step": (
        (
            "finished reduction",
            "pass find_unused_parameters=True, or use every trainable parameter in the loss of every step",
        ),
        (
            "marked ready twice",
            "set use_reentrant=False for gradient checkpointing, or _set_static_graph() of the wrapper",
        ),
        ("inplace", "pass broadcast_buffers=False, or run the model once in each step"),
    ),
    "generate": (
        (
            "forced_decoder_ids",
            "set model.generation_config.forced_decoder_ids = None and give language and task instead",
        ),
        ("no_timestamps_token_id", "set model.generation_config.no_timestamps_token_id to the id of <|notimestamps|>"),
        ("decoder_start_token_id", "set model.config.decoder_start_token_id and model.generation_config's"),
        ("model_kwargs", "hand only the model's inputs to generate: leave out the key that is named here"),
        ("lang_to_id", "give generation_config the tables lang_to_id and task_to_id of a multilingual Whisper"),
        ("index out of range", "keep generation_max_length within the decoder's table of positions"),
        ("maximum", "keep generation_max_length within the decoder's table of positions"),
    ),
    "save": (
        ("generation", "put the setting that is named right in model.generation_config"),
        ("share memory", "name the shared tensors in _tied_weights_keys, or save with safetensors.torch.save_model"),
        ("shared", "name the shared tensors in _tied_weights_keys, or save with safetensors.torch.save_model"),
        ("json", "keep in the configuration only what JSON can hold"),
    ),
}


def fix_of(failure: Failure, running: str, default: str) -> str:
    """The fix for this error in what was running; `default` where its text does not say."""
    text = failure.message.lower()
    cures = (cure for words, cure in CURES.get(running, ()) if words in text or words == failure.error)
    return next((cure.format(module=failure.module or "the model") for cure in cures), default)


def failure_finding(
    failure: Failure, running: str, where: str, message: str, default: str, /, **measured: Number
) -> Finding:
    """A finding at the line that raised; `default` is the fix where the error's text suggests none."""
    fix = fix_of(failure, running, default)
    return code_finding(failure.line, where, message, fix, error=failure.error, **measured, trace=failure.trace)
