from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, with_corpus


@fault(
    "a clip was copied into the evaluation set under another name",
    "DAT035",
    in_corpus(lambda f: (f["audio_root"] / "leaked.wav").exists()),
    SPEECH,
)
def clip_leaked(facts: Facts) -> Facts:
    corpus = with_corpus(facts)
    root, first = corpus["audio_root"], corpus["train_rows"][0]
    (root / "leaked.wav").write_bytes((root / first["audio_path"]).read_bytes())
    copy = {**first, "audio_path": "leaked.wav", "video_id": "eval-9", "speaker_id": "eval-9"}
    return {**corpus, "eval_rows": [*corpus["eval_rows"], copy]}
