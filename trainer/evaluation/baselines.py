"""What a text without any model scores: a metric that is not far from it shows that little was learned."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from trainer.evaluation.metrics import Score, scores_of_task
from trainer.evaluation.predict import Prediction, RowDataset

CONSTANT, LEAD = "the most frequent reference for every row", "the first words of the document"


def documents_of(dataset: RowDataset) -> dict[str, str]:
    """The document of each row by its id; {} if the rows are no texts."""
    from trainer.data.dataset import TextDataset

    items = (dataset[index] for index in range(len(dataset))) if isinstance(dataset, TextDataset) else ()
    return {item["id"]: item["document"] for item in items}


def with_baselines(
    scores: Sequence[Score], task: str, rows: Sequence[Prediction], documents: Mapping[str, str]
) -> list[Score]:
    """The scores of one task, each with what the trivial answer scores."""
    references = [row.reference for row in rows]
    name, answers = trivial_answers(references, [documents.get(row.file, "") for row in rows])
    values = {score.name: score.value for score in scores_of_task(task, references, answers)}
    return [replace(score, baseline=values[score.name], baseline_name=name) for score in scores]


def trivial_answers(references: Sequence[str], documents: Sequence[str]) -> tuple[str, list[str]]:
    """The beginning of each document, as long as the references are; without documents, one text for all rows."""
    if references and all(documents):
        length = round(median(len(reference.split()) for reference in references))
        return LEAD, [" ".join(document.split()[:length]) for document in documents]
    return CONSTANT, [text for text, _ in Counter(references).most_common(1)] * len(references)
