import tempfile
from pathlib import Path

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.tokenizer_changes import renumbered, with_tokenizer

_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []  # removed when the process ends


def _differs(facts: Facts) -> bool:
    from transformers import AutoTokenizer

    stored = Path(facts["model"].config._name_or_path)
    if not (stored / "tokenizer_config.json").is_file():
        return False
    return bool(AutoTokenizer.from_pretrained(stored).get_vocab() != facts["tokenizer"].get_vocab())


@fault("trained weights and a tokenizer of the same size from different directories", "TOK014", _differs, ("whisper",))
def tokenizer_of_another_checkpoint(facts: Facts) -> Facts:
    import torch
    from torch.optim import AdamW

    _FOLDERS.append(tempfile.TemporaryDirectory(prefix="gonogo-"))
    folder, trained = _FOLDERS[-1].name, facts["model"]
    with torch.no_grad():
        for module in trained.modules():
            if isinstance(module, torch.nn.LayerNorm):
                module.weight.add_(0.01 * torch.randn_like(module.weight))  # as after some training
    trained.save_pretrained(folder)
    facts["tokenizer"].save_pretrained(folder)
    model = type(trained).from_pretrained(folder)
    changed = {"model": model, "optimizer": AdamW(model.parameters(), lr=1e-3)}
    return with_tokenizer({**facts, **changed}, renumbered(facts["tokenizer"]))
