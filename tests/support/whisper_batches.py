"""What a Whisper batch must hold to, whatever the vocabulary: shared by the tests with a small one and the real one."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.speech_batches import RATE, copied, expected_texts, items, same_inputs
from trainer.collate.labels import IGNORE, known_ids, label_lengths
from trainer.collate.whisper import PROMPT, WhisperCollator, prompt_ids
from trainer.models.tokenizers.whisper_and_t5 import START


class WhisperBatches:
    """Properties for any tokenizer; a subclass says which collator and what its texts are made of."""

    collate: WhisperCollator
    batches: st.SearchStrategy[list[dict[str, Any]]]
    examples = 40

    def checked(self, examples: int, *drawn: st.SearchStrategy, check: Any) -> None:
        settings(max_examples=examples, deadline=None)(given(*drawn)(check))()

    def test_every_batch(self) -> None:
        self.checked(self.examples, self.batches, check=self._every_batch)

    def test_another_row_changes_no_row(self) -> None:
        self.checked(self.examples // 2, self.batches, items, check=self._another_row)

    def test_permuted_rows_permute_the_batch(self) -> None:
        self.checked(self.examples // 2, self.batches, st.randoms(use_true_random=False), check=self._permuted)

    def _every_batch(self, rows: list[dict[str, Any]]) -> None:
        before = copied(rows)
        batch = self.collate(rows)
        assert same_inputs(before, rows)
        self._labels_hold(batch["labels"], len(rows))
        assert self._decoded(batch["labels"]) == expected_texts(rows)
        self._features_hold(batch["input_features"], rows)
        if self.collate.ctc_vocabulary is not None:
            heard = [self.collate.ctc_vocabulary.decode(row) for row in batch["ctc_labels"].tolist()]
            assert heard == expected_texts(rows)[: len(rows)] + [""] * len(rows)
            assert (batch["ctc_labels"][len(rows) :] == IGNORE).all()

    def _labels_hold(self, labels: torch.Tensor, rows: int) -> None:
        tokenizer = self.collate.tokenizer
        start, end = tokenizer.convert_tokens_to_ids(START), tokenizer.eos_token_id
        tasks = ["transcribe"] * rows + ["translate"] * rows
        assert len(labels) == 2 * rows and int(label_lengths(labels).max()) == labels.shape[1]
        for row, task in zip(labels.tolist(), tasks, strict=True):
            scored = [label for label in row if label != IGNORE]
            assert row[: len(scored)] == scored
            assert scored[:PROMPT] == prompt_ids(tokenizer, "vi", task)
            assert start not in scored and scored.count(end) == 1 and scored[-1] == end

    def _features_hold(self, features: torch.Tensor, rows: Sequence[Mapping[str, Any]]) -> None:
        extractor = self.collate.extractor
        assert features.shape == (2 * len(rows), extractor.feature_size, extractor.nb_max_frames)
        assert torch.equal(features[: len(rows)], features[len(rows) :]) and features.isfinite().all()
        for row, clip in zip(features, rows, strict=False):
            own = -(-min(len(clip["audio"]), extractor.n_samples) // extractor.hop_length)
            assert not row[:, own:].any()
            assert own < 3 or row[:, :own].any()

    def _another_row(self, rows: list[dict[str, Any]], other: dict[str, Any]) -> None:
        alone, among = self.collate(rows), self.collate([*rows, other])
        kept = [number + half * (len(rows) + 1) for half in (0, 1) for number in range(len(rows))]
        for key in alone:
            width = alone[key].shape[-1]
            assert torch.equal(among[key][kept][..., :width], alone[key]), key
            assert key == "input_features" or (among[key][kept][..., width:] == IGNORE).all()

    def _permuted(self, rows: list[dict[str, Any]], shuffle: random.Random) -> None:
        order = list(range(len(rows)))
        shuffle.shuffle(order)
        batch, permuted = self.collate(rows), self.collate([rows[place] for place in order])
        places = torch.tensor(order + [place + len(rows) for place in order])
        assert all(torch.equal(permuted[key], batch[key][places]) for key in batch)

    def _decoded(self, labels: torch.Tensor) -> list[str]:
        tokenizer = self.collate.tokenizer
        return tokenizer.batch_decode(known_ids(labels, len(tokenizer)), skip_special_tokens=True)


def clip(seconds: float, text: str = "xin chào") -> dict[str, Any]:
    """Noise of this length."""
    audio = 0.1 * torch.randn(int(seconds * RATE), generator=torch.Generator().manual_seed(3))
    return {"audio": audio, "sample_rate": RATE, "transcript": text, "translation": text, "id": "m.csv:2"}
