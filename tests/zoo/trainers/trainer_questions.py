"""The shape of run_qa and run_seq2seq_qa: trainers of their own, which evaluate examples instead of features."""

from __future__ import annotations

from typing import Any

import numpy as np
from datasets import Dataset
from transformers import (
    BertConfig,
    BertForQuestionAnswering,
    DataCollatorForSeq2Seq,
    EvalPrediction,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    default_data_collator,
)

from tests.zoo.registry import Facts, setup
from tests.zoo.trainers.trainer_kit import OBJECTS, SUBJECTS, VERBS, arguments, bert_sizes, draw, words_tokenizer


def examples(count: int) -> Dataset:
    """A context, a question, and the answer's text and place."""
    rows = []
    for number in range(count):
        who, verb, what = draw(SUBJECTS), draw(VERBS), draw(OBJECTS)
        context = f"{who} {verb} {what} here and there" if number % 2 else f"today {who} {verb} {what}"
        answers = {"text": [what], "answer_start": [context.index(what)]}
        rows.append({"id": str(number), "question": "what ?", "context": context, "answers": answers})
    return Dataset.from_list(rows)


class PostProcessing(Trainer):
    """Keeps what the metric of question answering needs."""

    def __init__(self, *args: Any, eval_examples: Any = None, post_process_function: Any = None, **more: Any) -> None:
        super().__init__(*args, **more)
        self.eval_examples, self.post_process_function = eval_examples, post_process_function

    def predicted(self, dataset: Any, ignore_keys: Any) -> Any:
        """The evaluation loop without the metric."""
        compute_metrics, self.compute_metrics = self.compute_metrics, None
        try:
            loader = self.get_eval_dataloader(dataset)
            return self.evaluation_loop(loader, "Evaluation", prediction_loss_only=None, ignore_keys=ignore_keys)
        finally:
            self.compute_metrics = compute_metrics


class QuestionAnsweringTrainer(PostProcessing):
    """As trainer_qa.py has it: the metric reads texts, which a second function makes of the logits."""

    def evaluate(self, eval_dataset=None, eval_examples=None, ignore_keys=None, metric_key_prefix="eval"):
        eval_dataset = self.eval_dataset if eval_dataset is None else eval_dataset
        eval_examples = self.eval_examples if eval_examples is None else eval_examples
        output = self.predicted(eval_dataset, ignore_keys)
        predictions = self.post_process_function(eval_examples, eval_dataset, output.predictions)
        metrics = {f"{metric_key_prefix}_{k}": v for k, v in self.compute_metrics(predictions).items()}
        self.log({**metrics, **output.metrics})
        return {**metrics, **output.metrics}


def exact_match(p: EvalPrediction) -> dict[str, float]:
    """The share of answers that are right, as the metric of SQuAD computes it."""
    texts = {row["id"]: row["answers"]["text"] for row in p.label_ids}
    right = [row["prediction_text"] in texts[row["id"]] for row in p.predictions]
    return {"exact_match": 100 * sum(right) / len(right)}


@setup
def span_answers_trainer() -> Facts:
    """run_qa: padding to max_length, default_data_collator, evaluation features with offsets and without labels."""
    tokenizer = words_tokenizer()
    raw = examples(112).train_test_split(test_size=16, seed=0)
    usual = {"truncation": "only_second", "max_length": 24, "return_offsets_mapping": True, "padding": "max_length"}

    def train_features(rows: Any) -> Any:
        encoded = tokenizer(rows["question"], rows["context"], **usual)
        offsets = encoded.pop("offset_mapping")
        starts = [answer["answer_start"][0] for answer in rows["answers"]]
        places = [
            next(i for i, pair in enumerate(row) if encoded.sequence_ids(n)[i] == 1 and pair[0] == start)
            for n, (row, start) in enumerate(zip(offsets, starts, strict=True))
        ]
        encoded["start_positions"] = encoded["end_positions"] = places
        return encoded

    def eval_features(rows: Any) -> Any:
        encoded = tokenizer(rows["question"], rows["context"], **usual)
        encoded["example_id"] = rows["id"]
        for n, row in enumerate(encoded["offset_mapping"]):
            inside = encoded.sequence_ids(n)
            encoded["offset_mapping"][n] = [pair if inside[i] == 1 else None for i, pair in enumerate(row)]
        return encoded

    def post_process(examples: Any, features: Any, predictions: Any) -> EvalPrediction:
        start, end = predictions
        answers = []
        for number, example in enumerate(examples):
            pairs = features[number]["offset_mapping"]
            inside = [i for i, pair in enumerate(pairs) if pair is not None]
            first = inside[int(np.argmax(start[number][inside]))]
            last = max(first, inside[int(np.argmax(end[number][inside]))])
            text = example["context"][pairs[first][0] : pairs[last][1]]
            answers.append({"id": example["id"], "prediction_text": text})
        return EvalPrediction(answers, [{"id": e["id"], "answers": e["answers"]} for e in examples])

    columns = raw["train"].column_names
    trainer = QuestionAnsweringTrainer(
        model=BertForQuestionAnswering(BertConfig(**bert_sizes(tokenizer))),
        args=arguments(),
        train_dataset=raw["train"].map(train_features, batched=True, remove_columns=columns),
        eval_dataset=raw["test"].map(eval_features, batched=True, remove_columns=columns),
        eval_examples=raw["test"],
        processing_class=tokenizer,
        data_collator=default_data_collator,
        post_process_function=post_process,
        compute_metrics=exact_match,
    )
    return {"trainer": trainer}


class QuestionAnsweringSeq2SeqTrainer(PostProcessing, Seq2SeqTrainer):
    """As trainer_seq2seq_qa.py has it."""

    def evaluate(self, eval_dataset=None, eval_examples=None, ignore_keys=None, metric_key_prefix="eval", **gen_kwargs):
        self._gen_kwargs = {"max_length": self.args.generation_max_length, "num_beams": 1, **gen_kwargs}
        eval_dataset = self.eval_dataset if eval_dataset is None else eval_dataset
        output = self.predicted(eval_dataset, ignore_keys)
        predictions = self.post_process_function(eval_examples or self.eval_examples, eval_dataset, output)
        metrics = {f"{metric_key_prefix}_{k}": v for k, v in self.compute_metrics(predictions).items()}
        return {**metrics, **output.metrics}


@setup
def written_answers_trainer() -> Facts:
    """run_seq2seq_qa: the answer is generated, and labels padded to max_length are -100 by hand."""
    tokenizer = words_tokenizer(first="", eos_token="[SEP]")
    raw = examples(112).train_test_split(test_size=16, seed=0)

    def preprocess(rows: Any) -> Any:
        inputs = [f"{q} {c}" for q, c in zip(rows["question"], rows["context"], strict=True)]
        encoded = tokenizer(inputs, max_length=24, padding="max_length", truncation=True)
        answers = [answer["text"][0] for answer in rows["answers"]]
        ids = tokenizer(text_target=answers, max_length=8, padding="max_length", truncation=True)["input_ids"]
        pad = tokenizer.pad_token_id
        encoded["labels"] = [[-100 if token == pad else token for token in row] for row in ids]
        return encoded

    def post_process(examples: Any, features: Any, outputs: Any) -> EvalPrediction:
        preds = np.where(outputs.predictions != -100, outputs.predictions, tokenizer.pad_token_id)
        texts = tokenizer.batch_decode(preds, skip_special_tokens=True)
        found = [{"id": e["id"], "prediction_text": t} for e, t in zip(examples, texts, strict=True)]
        return EvalPrediction(found, [{"id": e["id"], "answers": e["answers"]} for e in examples])

    ids = {"pad_token_id": 0, "decoder_start_token_id": 0, "eos_token_id": tokenizer.eos_token_id}
    model = T5ForConditionalGeneration(
        T5Config(vocab_size=len(tokenizer), d_model=32, d_kv=16, d_ff=64, num_layers=2, num_heads=2, **ids)
    )
    columns = raw["train"].column_names
    trainer = QuestionAnsweringSeq2SeqTrainer(
        model=model,
        args=arguments(Seq2SeqTrainingArguments, predict_with_generate=True, generation_max_length=8),
        train_dataset=raw["train"].map(preprocess, batched=True, remove_columns=columns),
        eval_dataset=raw["test"].map(preprocess, batched=True, remove_columns=columns),
        eval_examples=raw["test"],
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model, label_pad_token_id=-100),
        compute_metrics=exact_match,
        post_process_function=post_process,
    )
    return {"trainer": trainer}
