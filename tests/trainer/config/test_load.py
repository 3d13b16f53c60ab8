"""Loading: inheritance, overrides, old spellings, where each value comes from."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from diagnose.common.errors import InputError
from trainer.config import Config, load

SUBSET = """\
training:
  epochs: 1
  batch_size: 2
  shuffle: false
data:
  manifest_dir: ./cache_train_subset   # chỉ chứa 50 mẫu
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a configuration below the working directory and gives its relative path."""
    monkeypatch.chdir(tmp_path)

    def to(name, text):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
        return Path(name)

    return to


def test_the_subset_file_of_the_smoke_test_loads_as_written(write):
    resolved = load(write("subset.yaml", SUBSET))
    config = resolved.config
    assert (config.training.num_train_epochs, config.training.batch_size, config.training.shuffle) == (1, 2, False)
    assert config.splits == Path("cache_train_subset")
    assert str(resolved.sources["training.num_train_epochs"]) == "subset.yaml:2"


def test_a_run_without_a_name_is_called_after_its_file(write):
    output = load(write("my subset.yaml", SUBSET)).config.output
    assert (output.dir, output.experiment_name) == (Path("training/outputs/my_subset"), "my_subset")


def test_later_files_win_key_by_key_and_sources_follow(write):
    write("base.yaml", "model:\n  language: vi\n  name: a/b\ntraining:\n  batch_size: 1\n  seed: 7\n")
    write("lower/middle.yaml", "_base_: ../base.yaml\ntraining:\n  batch_size: 2\n")
    resolved = load(write("top.yaml", "_base_: lower/middle.yaml\nmodel:\n  name: c/d\n"), ["training.fp16=true"])
    said = {key: str(resolved.sources[key]) for key in ("training.seed", "training.batch_size", "model.name")}
    assert said == {
        "training.seed": "base.yaml:6",
        "training.batch_size": "lower/middle.yaml:3",
        "model.name": "top.yaml:3",
    }
    assert (resolved.config.training.seed, resolved.config.training.batch_size) == (7, 2)
    assert str(resolved.sources["training.fp16"]) == "--set"
    assert str(resolved.sources["training.bf16"]) == "default"


def test_null_takes_back_a_section_of_the_base_and_its_places(write):
    write("base.yaml", "model:\n  type: hybrid\n  random:\n    hidden: 32\n")
    write("none.yaml", "_base_: base.yaml\nmodel:\n  random: null\n  name: some/where\n")
    assert load("none.yaml").config.model.random is None
    again = load("none.yaml", ["model.name=null", "model.random={layers: 3}"])
    assert again.config.model.random.hidden == 96
    assert str(again.sources["model.random.hidden"]) == "default"
    assert str(again.sources["model.random.layers"]) == "--set"


@pytest.mark.parametrize("text", ["1e-4", "1E-4", "1.0e-4", "0.0001", "'1e-4'", "+1e-4"])
def test_numbers_are_read_however_they_are_spelled(write, text):
    resolved = load(write("c.yaml", f"training:\n  learning_rate: {text}\n"), [f"training.weight_decay={text}"])
    assert resolved.config.training.learning_rate == resolved.config.training.weight_decay == 1e-4


def test_old_spellings_are_understood(write):
    text = """\
model: {type: e2e, encoder: a/b, decoder: c/d}
training:
  evaluation_strategy: no
  load_best_model_at_end: false
  per_device_train_batch_size: 3
  gradient_clip_norm: 0.5
  group_by_length: false
  freeze_encoder: true
  warmup_ratio: 0.1
  save_safetensors: false
  logging_dir: somewhere
  overwrite_output_dir: true
"""
    resolved = load(write("old.yaml", text))
    config = resolved.config
    assert (config.training.eval_strategy, config.training.batch_size, config.training.max_grad_norm) == ("no", 3, 0.5)
    assert not config.dataloader.group_by_length
    assert config.model.freeze_encoder
    assert config.training.warmup_ratio == 0.1
    assert [notice.split(" is ")[0] for notice in resolved.notices] == [
        "old.yaml:10: training.save_safetensors",
        "old.yaml:11: training.logging_dir",
        "old.yaml:12: training.overwrite_output_dir",
    ]


def test_freezing_the_encoder_may_stand_under_model_or_training_and_the_later_file_wins(write):
    write("base.yaml", "training:\n  freeze_encoder: true\n")
    assert load("base.yaml").config.model.freeze_encoder
    assert not load(
        write("top.yaml", "_base_: base.yaml\nmodel:\n  freeze_encoder: false\n")
    ).config.model.freeze_encoder
    assert load("top.yaml", ["training.freeze_encoder=true"]).config.model.freeze_encoder


def test_an_empty_section_says_nothing(write):
    write("base.yaml", "training:\n  seed: 7\n")
    assert load(write("top.yaml", "_base_: base.yaml\ntraining:\nmodel:\n")).config.training.seed == 7


def test_anchors_and_merge_keys_work_and_what_is_written_wins(write):
    text = "audio:\n  sample_rate: 8000\n  <<: [{num_mel_bins: 40, sample_rate: 1}, {num_mel_bins: 20, cmvn: true}]\n"
    resolved = load(write("c.yaml", text))
    audio = resolved.config.audio
    assert (audio.sample_rate, audio.num_mel_bins, audio.cmvn) == (8000, 40, True)
    assert str(resolved.sources["audio.sample_rate"]) == "c.yaml:2"


def test_what_is_not_said_follows_from_the_type():
    def model(**given):
        return Config.model_validate({"model": given}).model

    assert (model().name, model().task, model().max_label_length) == ("openai/whisper-small", "both", 448)
    assert (model(type="mt5").task, model(type="mt5").max_label_length) == ("summarize", 128)
    assert model(type="hybrid", random={}).ctc_weight == 0.3
    assert model(type="e2e", encoder="a", decoder="b").freeze_feature_encoder
    assert not model(type="e2e", random={}).freeze_feature_encoder
    assert model(random={}).name is None


def test_a_configuration_is_frozen():
    with pytest.raises(ValueError, match="frozen"):
        Config().training.seed = 1


def test_a_byte_order_mark_is_no_part_of_the_first_key(write):
    Path("bom.yaml").write_bytes(b"\xef\xbb\xbftraining:\r\n  seed: 3\r\n")
    assert load("bom.yaml").config.training.seed == 3


def test_a_shipped_configuration_is_a_base_by_its_name(write):
    config = load(write("mine.yaml", "_base_: demo_hybrid\ntraining: {seed: 5}")).config
    assert (config.model.random.hidden, config.training.max_steps, config.training.seed) == (96, 700, 5)
    write("demo_hybrid", "training: {seed: 7}")
    assert load(write("mine.yaml", "_base_: demo_hybrid")).config.training.seed == 7, "a file beside it goes before"
    with pytest.raises(InputError, match="did you mean the shipped demo_whisper"):
        load(write("wrong.yaml", "_base_: demo_wisper"))


def test_targets_are_merged_with_the_usual_ones(write):
    targets = load(write("a.yaml", "evaluation: {targets: {wer: 30, cer: null}}")).config.evaluation.targets
    assert (targets.wer, targets.cer, targets.bleu) == (30, None, 25)


def test_a_short_run_evaluates_and_saves_before_its_end(write):
    short = load(write("a.yaml", "training: {max_steps: 100}")).config.training
    assert (short.eval_steps, short.save_steps) == (25, 25)
    given = load(write("b.yaml", "training: {max_steps: 100, eval_steps: 10, save_steps: 50}")).config.training
    assert (given.eval_steps, given.save_steps) == (10, 50)
    assert load(write("c.yaml", "training: {max_steps: 100000}")).config.training.eval_steps == 500


def test_every_key_says_what_it_means():
    def described(model, prefix=""):
        for name, field in model.model_fields.items():
            yield prefix + name, field.description
            for kind in (field.annotation, *getattr(field.annotation, "__args__", ())):
                if isinstance(kind, type) and issubclass(kind, BaseModel):
                    yield from described(kind, f"{prefix}{name}.")

    found = dict(described(Config))
    assert len(found) > 90 and {key for key, text in found.items() if not text or not text.endswith(".")} == set()
