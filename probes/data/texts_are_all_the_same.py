from collections import Counter

from diagnose import Findings, Severity, Stage, probe
from probes.facts.corpus.types import CorpusRow
from probes.reporting.row_finding import row_finding

FEWEST = 20  # rows; fewer may well be one sentence by several voices
MOST = 0.9  # of the rows: corpora of a few commands have a quarter, one wake word beside others a half


@probe(id="DAT055", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT03[2-7]", "DAT040", "DAT050"))
def texts_are_all_the_same(corpus_rows: tuple[CorpusRow, ...]) -> Findings:
    """Nearly all training rows have the same text, so the model can ignore its input."""
    rows = [row for row in corpus_rows if row.split == "train"]
    for column in dict.fromkeys(name for row in rows for name in row.texts):
        texts = Counter(text for row in rows if (text := row.texts.get(column, "").strip()))
        if texts.total() < FEWEST:
            continue
        text, count = texts.most_common(1)[0]
        if count >= MOST * texts.total():
            example = next(row for row in rows if row.texts.get(column, "").strip() == text)
            yield row_finding(
                example,
                f"{count} of {texts.total()} rows have the {column} {text[:60]!r}, expected less than {MOST:.0%}",
                "check how the manifest was joined: each row needs the text of its own input",
                None if len(texts) == 1 else Severity.WARNING,
                rows=count,
                of=texts.total(),
            )
