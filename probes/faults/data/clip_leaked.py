from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault


@corpus_fault(
    "a clip was copied into the evaluation set under another name",
    "DAT035",
    lambda f: (f["audio_root"] / "leaked.wav").exists(),
)
def clip_leaked(corpus: Facts) -> Facts:
    root, first = corpus["audio_root"], corpus["train_rows"][0]
    (root / "leaked.wav").write_bytes((root / first["audio_path"]).read_bytes())
    copy = {**first, "audio_path": "leaked.wav", "video_id": "eval-9", "speaker_id": "eval-9"}
    return {**corpus, "eval_rows": [*corpus["eval_rows"], copy]}
