"""What an error's text gives away about its cause, and the one thing to do about it."""

from probes.facts.core.types import Failure

CURES = (
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
)


def cure_of(failure: Failure, default: str) -> str:
    text = failure.message.lower()
    return next((cure for words, cure in CURES if words in text), default)
