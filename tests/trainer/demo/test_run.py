"""The demo of one model leaves what the demo of another one wrote."""

import pytest

from trainer.demo.corpus_plan import CorpusSize
from trainer.demo.run import demo

SHORT = (
    "training.max_steps=2",
    "training.eval_steps=2",
    "training.save_steps=2",
    "training.logging_steps=1",
    "training.generation_max_length=4",
)


@pytest.mark.slow
def test_the_charts_of_each_demo_have_a_folder_of_their_own_and_its_heading(tmp_path, capsys):
    other = tmp_path / "outputs" / "charts" / "demo_hybrid" / "training_loss.png"
    other.parent.mkdir(parents=True)
    other.write_bytes(b"the chart of the speech demo")
    outcome = demo("mt5", 1, tmp_path, size=CorpusSize(videos=12, documents_per_video=4), overrides=SHORT)
    assert {chart.parent.name for chart in outcome.charts} == {"demo_mt5"}
    assert other.read_bytes() == b"the chart of the speech demo"
    heading = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("Results"))
    assert "text" in heading and "speech" not in heading
