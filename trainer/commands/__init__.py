"""The commands beside training itself."""

from trainer.commands import data, evaluate, init, pipeline

COMMANDS = (
    *(init.init, data.prepare, data.split, evaluate.evaluate, evaluate.charts),
    *(pipeline.pipeline, pipeline.demo),
)
