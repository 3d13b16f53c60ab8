"""Parameters: quiet on what people do on purpose, exact on what they do by accident."""

import pytest
import torch
from torch import nn
from transformers import Seq2SeqTrainer, Wav2Vec2Config, Wav2Vec2Model

from probes.healthy import NAMES, healthy
from tests.support.hf_trainers import trainer_of
from tests.support.parameter_stages import adamw, found, looked


def classifying(model, **more):
    facts = healthy("classifier") | {"model": model}
    return facts | {"optimizer": adamw(model)} | more


def quiet(name, seeds):
    for seed in seeds:
        report = looked(**healthy(name, seed))
        assert not report.findings, (seed, report.findings)
        passes = {outcome.probe for outcome in report.outcomes if outcome.ran}
        assert {"PAR004", "PAR008", "PAR009", "PAR010", "PAR011", "PAR012", "PLC001", "PLC002", "PLC004"} <= passes


@pytest.mark.parametrize("name", NAMES)
def test_two_seeds_of_a_healthy_subject_give_nothing(name):
    quiet(name, range(2))


@pytest.mark.bench
@pytest.mark.parametrize("name", NAMES)
def test_ten_seeds_of_a_healthy_subject_give_nothing(name):
    quiet(name, range(2, 10))


class Pictures(nn.Module):
    """Convolutions with batch norm and a head, as in torchvision; depthwise and zero-initialised parts included."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv1d(1, 8, 3, bias=False), nn.BatchNorm1d(8), nn.ReLU())
        self.blur = nn.Conv1d(8, 8, 2, groups=8, bias=False)
        self.block = nn.Sequential(nn.Conv1d(8, 8, 3, padding=1), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 8, 1))
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(8, 5))
        nn.init.constant_(self.blur.weight, 0.5)
        nn.init.zeros_(self.block[3].weight)  # the branch begins as nothing
        nn.init.zeros_(self.head[1].weight)

    def forward(self, x):
        x = self.blur(self.stem(x[:, None]))
        return self.head((x + self.block(x)).mean(-1))


class Lora(nn.Module):
    """A frozen layer with a low-rank adapter whose second matrix begins at zero."""

    def __init__(self, base):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.lora_A, self.lora_B = (
            nn.Linear(base.in_features, 4, bias=False),
            nn.Linear(4, base.out_features, bias=False),
        )
        nn.init.zeros_(self.lora_B.weight)

    def forward(self, x):
        return self.base(x) + self.lora_B(self.lora_A(x))


class Teacher(nn.Module):
    """Distils a frozen teacher that rests in evaluation mode."""

    def __init__(self):
        super().__init__()
        self.teacher = nn.Sequential(nn.Linear(12, 24), nn.BatchNorm1d(24), nn.Dropout(0.1), nn.Linear(24, 5))
        self.student = nn.Linear(12, 5)
        self.teacher.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        self.teacher.eval()
        return self

    def forward(self, x):
        return self.student(x) + 0 * self.teacher(x)


def lora():
    return nn.Sequential(Lora(nn.Linear(12, 24)), nn.ReLU(), Lora(nn.Linear(24, 24)), nn.ReLU(), nn.Linear(24, 5))


def half_frozen():
    model = nn.Sequential(nn.Linear(12, 24), nn.LayerNorm(24), nn.GELU(), nn.Linear(24, 5))
    model[:2].requires_grad_(False)
    return model


def rnn():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.head = nn.LSTM(1, 8, 2, batch_first=True, dropout=0.1), nn.Linear(8, 5)

        def forward(self, x):
            return self.head(self.rnn(x[..., None])[0][:, -1])

    return Tagger()


@pytest.mark.parametrize("make", [Pictures, lora, Teacher, half_frozen, rnn])
def test_what_people_do_on_purpose_is_no_alarm(make):
    for seed in range(3):
        torch.manual_seed(seed)
        report = looked(**classifying(make()))
        assert not found(report), report.findings


def test_a_single_norm_that_trains_is_a_warning_and_all_of_them_are_none():
    for keep, severities in ((1, ["warning"]), (None, ["note"])):
        model = healthy("mt5")["model"]
        norms = [name for name, _ in model.named_parameters() if name.endswith("layer_norm.weight")]
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(name in norms[:keep])
        facts = healthy("mt5") | {"model": model, "optimizer": adamw(model)}
        assert [f.severity for f in looked(**facts).findings if f.probe == "PAR015"] == severities


@pytest.mark.parametrize("name", ["whisper", "e2e", "hybrid", "mt5"])
def test_a_frozen_encoder_is_told_with_the_share_of_each_part_and_no_alarm(name):
    facts = healthy(name)
    encoder = facts["model"].get_encoder() if hasattr(facts["model"], "get_encoder") else facts["model"].encoder
    encoder.requires_grad_(False)
    facts["optimizer"] = adamw(facts["model"])
    report = looked(**facts)
    assert not found(report) and found(report, "note") == [("PAR015", "model")]
    message = report.findings[0].message
    assert message.startswith("Trainable: ") and "encoder 0 / " in message and "(0.0%)" in message


@pytest.mark.parametrize("name", ["whisper", "e2e", "mt5"])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_a_stock_trainer_gives_nothing(tmp_path, name, decay):
    assert not looked(trainer=trainer_of(tmp_path, name, Seq2SeqTrainer, weight_decay=decay)).findings


def test_a_stock_trainer_around_a_reloaded_model_gives_nothing(tmp_path):
    trainer = trainer_of(tmp_path, "whisper")
    trainer.model.save_pretrained(tmp_path / "saved")
    trainer.model = type(trainer.model).from_pretrained(tmp_path / "saved")
    report = looked(trainer=trainer)
    assert not report.findings


@pytest.mark.parametrize(("decay", "severity"), [(0.01, None), (0.05, "note"), (0.2, "note")])
def test_decay_on_norms_is_judged_by_its_size(decay, severity):
    for name in ("mt5", "classifier"):
        facts = healthy(name)
        facts["optimizer"] = adamw(facts["model"], weight_decay=decay)
        findings = looked(**facts).findings
        assert [(f.probe, f.severity) for f in findings] == ([("PAR011", severity)] if severity else [])


def test_a_filter_that_leaves_out_some_norms_is_judged_whatever_the_decay():
    facts = healthy("classifier")
    free = [p for p in facts["model"].parameters() if p.dim() == 1][1:]
    others = [p for p in facts["model"].parameters() if not any(p is one for one in free)]
    groups = [{"params": others, "weight_decay": 0.01}, {"params": free, "weight_decay": 0.0}]
    (finding,) = looked(**facts | {"optimizer": torch.optim.AdamW(groups, lr=1e-3)}).findings
    assert (finding.probe, finding.severity) == ("PAR011", "warning") and "have a weight decay" in finding.message


def test_norms_are_told_by_their_kind_and_not_by_their_name():
    model = nn.ModuleDict({"norm": nn.Linear(12, 24, bias=False), "scale": nn.LayerNorm(24), "head": nn.Linear(24, 5)})
    model.forward = lambda x: model["head"](model["scale"](model["norm"](x)))
    groups = [
        {"params": [model["norm"].weight, model["head"].weight], "weight_decay": 0.5},
        {"params": [*model["scale"].parameters(), model["head"].bias], "weight_decay": 0.0},
    ]
    facts = classifying(model, optimizer=torch.optim.AdamW(groups, lr=1e-3))
    assert not looked(**facts).findings
    groups[0]["params"].append(groups[1]["params"].pop(0))
    facts = classifying(model, optimizer=torch.optim.AdamW(groups, lr=1e-3))
    assert found(looked(**facts)) == [("PAR011", "scale.weight")]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A checkpoint of a tiny wav2vec2 without an adapter."""
    folder = tmp_path_factory.mktemp("wav2vec2")
    sizes = {"hidden_size": 16, "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 32}
    Wav2Vec2Model(Wav2Vec2Config(**sizes, conv_dim=(8, 8), conv_kernel=(4, 4), conv_stride=(2, 2))).save_pretrained(
        folder
    )
    return folder


def test_an_adapter_that_the_checkpoint_lacks_is_known_to_be_new_by_itself(encoder):
    model = Wav2Vec2Model.from_pretrained(encoder, add_adapter=True)
    report = looked(model=model)
    assert not found(report)  # new and trainable
    assert [f.probe for f in report.findings] == ["PAR007"] and "adapter.layers.0.conv" in report.findings[0].where
    model.requires_grad_(False)
    model.masked_spec_embed.requires_grad_(True)
    assert found(looked(model=model), "error") == [("PAR003", "adapter.layers.0.conv.weight")]
    model.adapter.requires_grad_(True)
    assert not found(looked(model=model))


def test_a_layer_that_the_checkpoint_lacks_is_an_error_and_a_new_head_is_not(encoder):
    model = Wav2Vec2Model.from_pretrained(encoder, num_hidden_layers=3)
    assert found(looked(model=model)) == [("PAR007", "encoder.layers.2.attention.k_proj.weight")]
    assert not looked(model=Wav2Vec2Model.from_pretrained(encoder)).findings
    report = looked(model=model, fresh=("encoder.layers.2.*",))
    assert not found(report)


def test_missing_keys_may_be_given_and_may_be_empty():
    facts = healthy("mt5")
    assert not looked(**facts, missing_keys=[]).findings
    assert found(looked(**facts, missing_keys=["shared.weight"])) == [("PAR007", "shared.weight")]


def test_an_extra_parameter_of_the_loss_is_a_note():
    facts = healthy("classifier")
    scale = nn.Parameter(torch.ones(1))
    facts["optimizer"] = torch.optim.AdamW([*facts["model"].parameters(), scale], lr=1e-3)
    assert found(looked(**facts), "note", "warning", "error") == [("PAR006", "optimizer")]
    assert not found(looked(**facts))


def test_views_side_by_side_in_one_storage_are_no_overlap():
    facts = healthy("classifier")
    flat = torch.cat([one.detach().flatten() for one in facts["model"].parameters()])
    start = 0
    for one in facts["model"].parameters():
        one.data = flat[start : start + one.numel()].view(one.shape)
        start += one.numel()
    assert not looked(**facts).findings


def test_a_head_of_its_own_on_purpose_is_left_alone():
    facts = healthy("mt5")
    head = facts["model"].lm_head
    head.weight = nn.Parameter(head.weight.detach().clone())
    facts["optimizer"] = adamw(facts["model"])
    assert found(looked(**facts)) == [("PAR013", "lm_head.weight")]
    assert not looked(**facts, untied=("lm_head.weight",)).findings
    facts["model"].config.tie_word_embeddings = False
    assert not looked(**facts).findings


@pytest.mark.parametrize("scale", [1e-5, 1e3])
def test_one_layer_of_a_stack_is_compared_with_the_others(scale):
    facts = healthy("whisper")
    facts["model"].model.encoder.layers[1].fc1.weight.data.mul_(scale)
    assert found(looked(**facts)) == [("PAR010", "model.encoder.layers.1.fc1.weight")]


def test_statistics_that_are_nan_are_named_and_masks_of_infinity_are_not():
    facts = healthy("classifier")
    facts["model"].register_buffer("mask", torch.full((3, 3), float("-inf")))
    assert not looked(**facts).findings
    facts["model"][1].running_var[2] = float("nan")
    assert found(looked(**facts)) == [("PAR008", "1.running_var")]


def test_patterns_may_be_words_and_one_that_matches_nothing_is_told():
    facts = healthy("classifier") | {"model": lora()}
    facts["model"][4].requires_grad_(False)
    facts["optimizer"] = adamw(facts["model"])
    assert not found(looked(**facts, trainable=("lora_A", "*lora_B*")))
    assert found(looked(**facts, trainable=("lora_A", "lora_B", "lora_C"))) == [("PAR016", "trainable=lora_C")]
    assert found(looked(**facts, trainable=("lora_A",))) == [("PAR017", "0.lora_B.weight")]
    assert ("PAR016", "4.weight") in found(looked(**facts, trainable=("*lora*", "4")))


def test_a_frozen_adapter_that_begins_at_zero_adds_nothing_for_ever():
    model = lora()
    model[:4].requires_grad_(False)
    assert found(looked(**classifying(model))) == [("PAR004", "0.lora_B")]


def test_a_trainer_wakes_what_was_put_to_rest_once(tmp_path):
    trainer = trainer_of(tmp_path, "mt5")
    encoder = trainer.model.encoder
    encoder.add_module("statistics", nn.BatchNorm1d(32))
    encoder.register_forward_hook(lambda _, given, output: _normed(encoder.statistics, output))
    encoder.requires_grad_(False).eval()
    ((probe, where),) = found(looked(trainer=trainer))
    assert probe == "PAR014" and where.startswith("encoder.statistics.running_")


def _normed(norm, output):
    output.last_hidden_state = norm(output.last_hidden_state.transpose(1, 2)).transpose(1, 2)
    return output


@pytest.mark.parametrize("read", [False, True])
def test_a_frozen_layer_that_was_read_from_a_checkpoint_was_not_put_in_later(read):
    model = nn.Sequential(nn.Linear(12, 48), nn.Linear(48, 8), nn.ReLU(), nn.Linear(8, 5))
    with torch.no_grad():
        model[0].weight[0] *= 20  # heavy tails, as training leaves them
    model[:2].requires_grad_(False)
    for parameter in model[1].parameters():
        parameter._is_hf_initialized = read  # as transformers marks what it reads
    told = [probe for probe, _ in found(looked(**classifying(model))) if probe == "PAR004"]
    assert told == ([] if read else ["PAR004"])
