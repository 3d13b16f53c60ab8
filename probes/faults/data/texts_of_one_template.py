from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, texts, with_rows


@fault(
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
