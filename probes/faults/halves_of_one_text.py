import copy
from typing import Any

from diagnose import fault
from probes.faults.changes import Facts

TASKS = ("<2transcribe>", "<2translate>")


def _collator(facts: Facts, tasks: list[int]) -> Any:
    import torch

    def collate(items: list[Any]) -> Any:
        batch = facts["collate"](items)
        halves = [torch.nn.functional.pad(batch["labels"], (1, 0), value=task) for task in tasks]
        return {**{key: torch.cat([value, value]) for key, value in batch.items()}, "labels": torch.cat(halves)}

    return collate


@fault(
    id="halves_of_one_text",
    breaks="a collator for two tasks gives the transcript both times, and the translation never",
    named_by="LAB027",
    proof=lambda facts: len(facts["collate"]([facts["train_dataset"][0]])["labels"]) == len(TASKS),
    applies_to=("e2e",),
)
def halves_of_one_text(facts: Facts) -> Facts:
    from torch.optim import AdamW
    from torch.utils.data import DataLoader

    tokenizer, model, sentences = copy.deepcopy(facts["tokenizer"]), facts["model"], facts["train_dataset"]
    tokenizer.add_tokens(list(TASKS), special_tokens=True)
    model.decoder.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    items: Any = [{**sentences[n], "translation": sentences[n]["transcript"][::-1]} for n in range(len(sentences))]
    collate = _collator(facts, tokenizer.convert_tokens_to_ids(list(TASKS)))
    train, evaluation = (DataLoader(items, batch_size=4, shuffle=mixed, collate_fn=collate) for mixed in (True, False))
    changed = {"train_dataset": items, "collate": collate, "train_batches": train, "eval_batches": evaluation}
    return {**facts, **changed, "tokenizer": tokenizer, "optimizer": AdamW(model.parameters(), lr=1e-3)}
