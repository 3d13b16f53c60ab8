"""What is no fault, and is told all the same: notes of the data."""

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.data_changes import SPEECH, in_corpus, texts, with_corpus, with_rows


@fault("drawn_in_this_process", "batches could not be drawn in a child", "DAT004", lambda f: "drawing" in f)
def drawn_in_this_process(facts: Facts) -> Facts:
    from probes.measured.data import Drawing

    batches = tuple(facts["collate"]([facts["train_dataset"][n] for n in range(4 * b, 4 * b + 4)]) for b in range(4))
    return {**facts, "drawing": Drawing(batches, "4 batches were drawn in the training process itself")}


@fault(
    "texts_of_one_template",
    "all texts are one sentence with two other letters",
    "DAT034",
    in_corpus(lambda f: all("câu số" in text for text in texts(f))),
    SPEECH,
)
def texts_of_one_template(facts: Facts) -> Facts:
    def count(train: list[dict[str, str]], _: object) -> None:
        for number, row in enumerate(train):
            row["transcript"] = f"hôm nay trời đẹp câu số {chr(97 + number // 26)}{chr(97 + number % 26)}"

    return with_rows(facts, count)


@fault("rows_beyond_the_sample", "a sample of ten rows", "DAT052", lambda f: f.get("data_sample_size") == 10, SPEECH)
def rows_beyond_the_sample(facts: Facts) -> Facts:
    return {**with_corpus(facts), "data_sample_size": 10}
