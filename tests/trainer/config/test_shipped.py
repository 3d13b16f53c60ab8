"""The configurations that come with GoNoGo: every one is loaded and dry-run, and has the values it is known for."""

from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from transformers import WhisperConfig, WhisperForConditionalGeneration

from trainer.cli import main
from trainer.config import load
from trainer.paths import find_config, shipped_config, shipped_folder, shipped_names

SIZES = {  # width, layers, mel bins, tokens
    "tiny": (384, 4, 80, 51_865),
    "base": (512, 6, 80, 51_865),
    "small": (768, 12, 80, 51_865),
    "medium": (1024, 24, 80, 51_865),
    "large-v3": (1280, 32, 128, 51_866),
}
NAMES = (
    ["base"]
    + [f"demo_{kind}" for kind in ("e2e", "hybrid", "mt5", "whisper")]
    + [f"dev_{kind}" for kind in ("e2e", "hybrid", "mt5", "whisper")]
    + ["dev_whisper_base", "prod_e2e", "prod_whisper", "prod_whisper_large_v3", "prod_whisper_small"]
)


def test_all_of_them_are_looked_at():
    assert shipped_names() == NAMES
    assert len(list(shipped_folder().iterdir())) == len(NAMES) == 14


@pytest.mark.parametrize("name", NAMES)
def test_each_loads_reads_back_and_dry_runs_without_network(name, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    resolved = load(shipped_config(name))
    assert not resolved.notices
    (tmp_path / "again.yaml").write_text(resolved.to_yaml(), encoding="utf-8")
    assert load(tmp_path / "again.yaml").config == resolved.config
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["--config", str(shipped_config(name)), "--dry-run"])
    assert result.exit_code == 2 and "there is no train set" in result.stderr, result.output
    assert f"model:         {resolved.config.model.type}" in result.stdout
    assert list(tmp_path.iterdir()) == [tmp_path / "again.yaml"], "a dry run writes nothing"


@pytest.mark.parametrize("kind", ["whisper", "e2e", "hybrid", "mt5"])
def test_demos_need_no_download_and_no_gpu(kind):
    config = load(shipped_config(f"demo_{kind}")).config
    assert (config.model.type, config.paths.data_root) == (kind, Path("gonogo-demo"))
    assert config.output.dir == Path(f"gonogo-demo/outputs/demo_{kind}")
    assert config.model.random and config.model.name is None and config.model.tokenizer is None
    assert not config.training.fp16 and not config.training.bf16


def test_the_development_values_are_those_of_the_guide():
    whisper = load(shipped_config("dev_whisper")).config
    assert whisper.model.name == "openai/whisper-tiny"
    known = {
        "batch_size": 1, "gradient_accumulation_steps": 4, "learning_rate": 1e-4, "lr_scheduler_type": "linear",
        "warmup_ratio": 0.1, "weight_decay": 0.01, "max_grad_norm": 1.0, "num_train_epochs": 2, "max_steps": 100,
        "fp16": True, "gradient_checkpointing": False, "eval_steps": 25, "save_steps": 50, "logging_steps": 10,
        "seed": 42, "save_total_limit": 3, "metric_for_best_model": "eval_loss",
    }  # fmt: skip
    assert known.items() <= whisper.training.model_dump().items()
    e2e = load(shipped_config("dev_e2e")).config
    assert (e2e.model.encoder, e2e.model.decoder) == ("facebook/wav2vec2-base", "facebook/mbart-large-50")
    assert e2e.model.freeze_encoder and e2e.model.freeze_feature_encoder and e2e.model.add_adapter
    assert (e2e.training.learning_rate, e2e.training.warmup_ratio, e2e.training.freeze_encoder_epochs) == (
        1e-5,
        0.15,
        999,
    )


def test_production_is_medium_and_xlsr_and_mt5_has_no_fp16():
    assert load(shipped_config("prod_whisper")).config.model.name == "openai/whisper-medium"
    assert load(shipped_config("prod_e2e")).config.model.encoder == "facebook/wav2vec2-large-xlsr-53"
    assert not load(shipped_config("dev_mt5")).config.training.fp16


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("dev_whisper", "tiny"),
        ("dev_whisper_base", "base"),
        ("prod_whisper_small", "small"),
        ("prod_whisper", "medium"),
        ("prod_whisper_large_v3", "large-v3"),
    ],
)
def test_every_whisper_has_a_configuration_and_a_true_line_in_the_table(name, variant):
    config = load(shipped_config(name)).config
    assert config.model.name == f"openai/whisper-{variant}"
    width, layers, bins, tokens = SIZES[variant]
    assert config.audio.num_mel_bins == bins
    sizes = {"d_model": width, "encoder_layers": layers, "decoder_layers": layers, "vocab_size": tokens}
    heads = dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), width // 64)
    wide = dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), 4 * width)
    with torch.device("meta"):
        model = WhisperForConditionalGeneration(WhisperConfig(**sizes, **heads, **wide, num_mel_bins=bins))
    count = sum(parameter.numel() for parameter in model.parameters())
    table = (Path(__file__).parents[3] / "docs" / "gpu.md").read_text(encoding="utf-8")
    assert f"| {variant} | {count / 1e6:,.0f} M | {16 * count / 1e9:.1f} GB | `{name}` |" in table


def test_a_bare_name_is_looked_up_only_when_no_such_file_is_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_config("demo_hybrid") == shipped_config("demo_hybrid")
    assert find_config("demo_hybrid.yaml") == Path("demo_hybrid.yaml")
    Path("demo_hybrid").write_text("training: {seed: 1}", encoding="utf-8")
    assert find_config("demo_hybrid") == Path("demo_hybrid")


def test_installed_configurations_are_found_under_the_prefix(tmp_path, monkeypatch):
    folder = tmp_path / "share" / "gonogo" / "configs"
    folder.mkdir(parents=True)
    (folder / "base.yaml").touch()
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    monkeypatch.setattr("trainer.paths.__file__", str(tmp_path / "site-packages" / "trainer" / "paths.py"))
    assert shipped_config("base") == folder / "base.yaml"
