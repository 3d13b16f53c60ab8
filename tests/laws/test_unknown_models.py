"""Models that nobody here has tuned for: healthy ones are left alone, whatever their loss, labels and layers."""

import pytest
import torch
import transformers
from torch import nn
from torch.nn.functional import cross_entropy

import diagnose

IDS = torch.randint(3, 90, (4, 12), generator=torch.Generator().manual_seed(1))
IDS[1, 8:] = IDS[2, 5:] = 0
MASK = (IDS != 0).long()
TEXT = {"input_ids": IDS, "attention_mask": MASK}
MASKED = IDS.masked_fill(MASK == 0, -100)
BERT = {"vocab_size": 99, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


def causal_language_model():
    config = transformers.GPT2Config(
        vocab_size=99, n_embd=16, n_layer=2, n_head=2, pad_token_id=0, bos_token_id=1, eos_token_id=1
    )
    return {"model": transformers.GPT2LMHeadModel(config), "train_batches": [{**TEXT, "labels": MASKED}]}


def sentence_classifier():
    model = transformers.BertForSequenceClassification(transformers.BertConfig(**BERT, num_labels=3))
    return {"model": model, "train_batches": [{**TEXT, "labels": torch.tensor([0, 1, 2, 0])}]}


def tagger():
    tags = (IDS % 3).masked_fill(MASK == 0, -100)
    tags[0, 8:] = 0  # a class, and also the id of the padding token
    model = transformers.BertForTokenClassification(transformers.BertConfig(**BERT, num_labels=3))
    return {"model": model, "train_batches": [{**TEXT, "labels": tags}]}


def ctc():
    config = transformers.Wav2Vec2Config(
        vocab_size=30, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        conv_dim=(8, 8), conv_kernel=(10, 8), conv_stride=(5, 8), num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=2, mask_time_length=2, pad_token_id=0,
    )  # fmt: skip
    labels = (IDS % 28 + 1).masked_fill(MASK == 0, -100)
    batch = {"input_values": torch.randn(4, 8000), "labels": labels}
    return {"model": transformers.Wav2Vec2ForCTC(config), "train_batches": [batch]}


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(99, 16, padding_idx=0, sparse=True)
        self.memory, self.head = nn.LSTM(16, 16, num_layers=2, dropout=0.1, batch_first=True), nn.Linear(16, 99)

    def forward(self, ids):
        return self.head(self.memory(self.embed(ids))[0])


def recurrent_with_sparse_gradients():
    def compute_loss(model, batch):
        return cross_entropy(model(batch[0]).transpose(1, 2), batch[1], ignore_index=0)

    model, batches = Recurrent(), [(IDS[:, :-1], IDS[:, 1:])]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return {"model": model, "train_batches": batches, "compute_loss": compute_loss, "optimizer": optimizer}


def closure_optimizer_and_frozen_batch_norm():
    body = nn.Sequential(nn.Conv1d(3, 4, 3), nn.BatchNorm1d(4)).requires_grad_(False)
    model = nn.Sequential(body, nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(4, 2))
    body.eval()
    batches = [(torch.randn(4, 3, 9), torch.tensor([0, 1, 1, 0]))]
    return {
        "model": model,
        "train_batches": batches,
        "compute_loss": lambda model, batch: cross_entropy(model(batch[0]), batch[1]),
        "optimizer": torch.optim.LBFGS(model[3].parameters()),
    }


def loss_beside_logits():
    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x, y):
            scores = self.layer(x)
            return scores, (scores - y).square().mean()

    return {"model": Own(), "train_batches": [(torch.randn(4, 3), torch.randn(4, 3))]}


STRANGERS = [
    causal_language_model,
    sentence_classifier,
    tagger,
    ctc,
    recurrent_with_sparse_gradients,
    closure_optimizer_and_frozen_batch_norm,
    loss_beside_logits,
]


@pytest.mark.parametrize("build", STRANGERS, ids=lambda build: build.__name__)
def test_a_healthy_stranger_is_left_alone(build):
    torch.manual_seed(2)
    report = diagnose.preflight(**build())
    assert report.verdict == "go", report.headline
    assert not [(f.probe, f.message) for f in report.findings if f.severity != "note"]
    assert any(outcome.probe == "LOS001" and outcome.ran for outcome in report.outcomes)


def test_a_stranger_whose_padding_is_scored_is_not():
    facts = causal_language_model()
    facts["train_batches"] = [{**TEXT, "labels": IDS}]
    assert [root.probe for root in diagnose.preflight(**facts).diagnosis] == ["LAB002"]
