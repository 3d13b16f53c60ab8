"""Rows that come twice, and rows on both sides of the split."""

from typing import Any

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.data_changes import SPEECH, in_corpus, texts, with_corpus, with_rows

Rows = list[dict[str, Any]]


def _paths(facts: Facts) -> set[str]:
    return {row["audio_path"] for row in facts["train_rows"]}


@fault(
    "rows_doubled",
    "ten rows stand in the manifest twice",
    "DAT032",
    in_corpus(lambda f: len(_paths(f)) == len(f["train_rows"]) - 10),
    SPEECH,
)
def rows_doubled(facts: Facts) -> Facts:
    corpus = with_corpus(facts)
    return {**corpus, "train_rows": corpus["train_rows"] + corpus["train_rows"][:10]}


@fault(
    "text_contradicts",
    "a clip stands in the manifest with two texts",
    "DAT033",
    in_corpus(lambda f: len(_paths(f)) == len(f["train_rows"]) - 1),
    SPEECH,
)
def text_contradicts(facts: Facts) -> Facts:
    corpus = with_corpus(facts)
    return {**corpus, "train_rows": [*corpus["train_rows"], {**corpus["train_rows"][3], "transcript": "cô giáo hát"}]}


@fault(
    "clip_leaked",
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


def _leak(change: str) -> Any:
    def put(train: Rows, evaluation: Rows) -> None:
        long = [row for row in train if len(row["transcript"]) >= 24]
        for row, source in zip(evaluation, long, strict=False):
            row["transcript"] = source["transcript"] + change

    return put


@fault(
    "sentences_leaked",
    "evaluation has the sentences of training",
    "DAT036",
    in_corpus(lambda f: not set(texts(f)).isdisjoint(texts(f, "eval"))),
    SPEECH,
)
def sentences_leaked(facts: Facts) -> Facts:
    return with_rows(facts, _leak(""))


@fault(
    "sentences_nearly_leaked",
    "evaluation has the sentences of training with a word more",
    "DAT037",
    in_corpus(lambda f: sum(text.endswith(" ạ") for text in texts(f, "eval")) > 5),
    SPEECH,
)
def sentences_nearly_leaked(facts: Facts) -> Facts:
    return with_rows(facts, _leak(" ạ"))


@fault(
    "video_leaked",
    "rows of a training video are in the evaluation set",
    "DAT038",
    in_corpus(lambda f: f["eval_rows"][0]["video_id"] == f["train_rows"][0]["video_id"]),
    SPEECH,
)
def video_leaked(facts: Facts) -> Facts:
    return with_rows(facts, lambda train, evaluation: evaluation[0].update(video_id=train[0]["video_id"]))


def _same_speaker(train: Rows, evaluation: Rows) -> None:
    for row in (*train, *evaluation):
        del row["video_id"]
        row["speaker_id"] = "lan"


@fault(
    "speaker_leaked",
    "one speaker is on both sides, and nothing else tells them apart",
    "DAT039",
    in_corpus(lambda f: f["eval_rows"][0]["speaker_id"] == "lan"),
    SPEECH,
)
def speaker_leaked(facts: Facts) -> Facts:
    return with_rows(facts, _same_speaker)


def _halved(facts: Facts) -> Facts:
    from probes.instruments.corpus_on_disk import rewritten, samples_of

    corpus = with_corpus(facts)
    evaluation = {**corpus, "train_rows": corpus["eval_rows"]}
    for number in range(len(corpus["eval_rows"])):
        rewritten(evaluation, samples_of(evaluation, number)[::2], number, rate=8000)
    return corpus


@fault(
    "evaluation_by_telephone",
    "evaluation clips have 8 kHz, training clips 16",
    "DAT051",
    in_corpus(
        lambda f: (
            (f["audio_root"] / f["eval_rows"][0]["audio_path"]).read_bytes()[24:26] == (8000).to_bytes(2, "little")
        )
    ),
    SPEECH,
)
def evaluation_by_telephone(facts: Facts) -> Facts:
    return _halved(facts)


@fault(
    "one_emotion_rules",
    "all rows but one are of one class",
    "DAT053",
    in_corpus(lambda f: sum(row.get("emotion") == "glad" for row in f["train_rows"]) == len(f["train_rows"]) - 1),
    SPEECH,
)
def one_emotion_rules(facts: Facts) -> Facts:
    corpus = with_corpus(facts)
    rows = [{**row, "emotion": "glad" if number else "sad"} for number, row in enumerate(corpus["train_rows"])]
    return {**corpus, "train_rows": rows}
