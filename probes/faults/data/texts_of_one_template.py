from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault, texts


@corpus_fault(
    "all texts are one sentence with two other letters", "DAT034", lambda f: all("câu số" in text for text in texts(f))
)
def texts_of_one_template(corpus: Facts) -> Facts:
    for number, row in enumerate(corpus["train_rows"]):
        row["transcript"] = f"hôm nay trời đẹp câu số {chr(97 + number // 26)}{chr(97 + number % 26)}"
    return corpus
