"""Other tokenizers and more tokens, for faults of tokenizer, languages and tasks."""

import copy
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, eval_rows, loader, replace_labels

EVALUATED = 8  # rows of a dataset of our own that are kept for evaluation
CODES = ("vi_VN", "en_XX")
LOWER = "aàáảãạăằắẳẵặâầấẩẫậbcdđeèéẻẽẹêềếểễệfghiìíỉĩịjklmnoòóỏõọôồốổỗộơờớởỡợpqrstuùúủũụưừứửữựvwxyỳýỷỹỵz "
PLAIN_LABELS = ("e2e", "mt5")  # no prefix that a tokenizer would have to know, no CTC that letters are too many for


def with_rows_for(facts: Facts, rows: int) -> Facts:
    """The model with embedding and head of so many rows, and an optimiser that knows them."""
    from torch.optim import AdamW

    from probes.subjects.hybrid import Hybrid

    model = facts["model"]
    if isinstance(model, Hybrid):
        model = Hybrid(rows)
    elif hasattr(model, "decoder") and hasattr(model.decoder, "lm_head"):
        _resize(model.decoder, rows)
    else:
        _resize(model, rows)
    return {**facts, "model": model, "optimizer": AdamW(model.parameters(), lr=1e-3)}


def _resize(model: Any, rows: int) -> None:
    try:
        model.resize_token_embeddings(rows, mean_resizing=False)
    except (AttributeError, NotImplementedError) as error:
        raise NotApplicable("its model cannot be given a larger vocabulary") from error


def with_tokens(facts: Facts, *names: str) -> Facts:
    """The subject with these special tokens in a tokenizer of its own; its model has rows for them."""
    tokenizer = copy.deepcopy(facts["tokenizer"])
    start = getattr(facts["model"], "config", None)
    if start is not None and start.decoder_start_token_id == len(tokenizer):  # Whisper's stands behind the tokenizer
        tokenizer.add_tokens(["<|startoftranscript|>"], special_tokens=True)
    tokenizer.add_tokens(list(names), special_tokens=True)
    return {**with_rows_for(facts, len(tokenizer)), "tokenizer": tokenizer}


def with_collator(facts: Facts, collate: Any, dataset: Any = None) -> Facts:
    """Loaders of training and evaluation, both with this collator."""
    items = dataset if dataset is not None else facts["train_dataset"]
    others = eval_rows(facts)
    if dataset is not None:  # no row of the evaluation is trained on
        items, others = items[:-EVALUATED], items[-EVALUATED:]
    train, evaluation = loader(facts, items, collate), loader(facts, others, collate, shuffle=False)
    changed = {"train_dataset": items, "collate": collate, "train_batches": train, "eval_batches": evaluation}
    return {**facts, **changed}


def with_tokenizer(facts: Facts, tokenizer: Any) -> Facts:
    """The subject whose labels another tokenizer writes: the collator's own, where it holds one."""
    from probes.subjects.tone_corpus import masked_labels

    if hasattr(facts["collate"], "tokenizer"):
        held = copy.copy(facts["collate"])
        object.__setattr__(held, "tokenizer", tokenizer)
        return {**with_collator(facts, held), "tokenizer": tokenizer}

    def collate(items: list[Any]) -> Any:
        return replace_labels(facts["collate"](items), masked_labels(tokenizer, items))

    return {**with_collator(facts, collate), "tokenizer": tokenizer}


def with_extractor(facts: Facts, **sizes: int) -> Facts:
    """The facts with another feature extractor, used by the collator as well."""
    import numpy as np
    from transformers import WhisperFeatureExtractor

    extractor = WhisperFeatureExtractor(**sizes)

    def collate(items: list[Any]) -> Any:
        audio, rate = [np.asarray(item["audio"]) for item in items], extractor.sampling_rate
        features = extractor(audio, sampling_rate=rate, return_tensors="pt")["input_features"]
        batch = facts["collate"](items)
        return {**batch, "input_features": features.repeat(len(batch["input_features"]) // len(items), 1, 1)}

    return {**with_collator(facts, collate), "feature_extractor": extractor}


def vocabulary_tokenizer(letters: str, by: str = "") -> Any:
    """A tokenizer of these letters, or of these words where `by` is a space; all else is unknown to it."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    pieces = dict.fromkeys(["<pad>", "</s>", "<unk>", *(letters.split(by) if by else letters)])
    spelt = Tokenizer(models.WordLevel({piece: number for number, piece in enumerate(pieces)}, unk_token="<unk>"))
    spelt.pre_tokenizer = pre_tokenizers.WhitespaceSplit() if by else pre_tokenizers.Split("", "isolated")
    spelt.post_processor = processors.TemplateProcessing("$A </s>", None, [("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=spelt, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def rows_of_text(facts: Facts) -> list[dict[str, Any]]:
    return [{"transcript": item["transcript"]} for item in map(facts["train_dataset"].__getitem__, range(36))]


def with_other_tokenizer(facts: Facts, tokenizer: Any) -> Facts:
    """The subject whose texts another tokenizer spells; it has the run's own special tokens too."""
    tokenizer.add_tokens(list(facts["tokenizer"].all_special_tokens), special_tokens=True)
    return {"train_rows": rows_of_text(facts), **with_tokenizer(facts, tokenizer)}


def gives_unknown(facts: Facts, text: str = "mẹ mua cá") -> bool:
    return "<unk>" in facts["tokenizer"].tokenize(text)


def renumbered(tokenizer: Any) -> Any:
    """The same pieces with each other's ids; special tokens keep theirs."""
    import json
    import random

    from tokenizers import Tokenizer

    content = json.loads(tokenizer.backend_tokenizer.to_str())
    pieces = content["model"]["vocab"]
    special = {token["content"] for token in content["added_tokens"]}
    free = [piece for piece in pieces if piece not in special]
    ids = random.Random(0).sample([pieces[piece] for piece in free], len(free))
    content["model"]["vocab"] = {**pieces, **dict(zip(free, ids, strict=True))}
    clone = copy.deepcopy(tokenizer)
    clone._tokenizer = Tokenizer.from_str(json.dumps(content))
    return clone
