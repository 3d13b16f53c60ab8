"""python -m trainer, for torchrun and accelerate launch."""

from trainer.cli import main

main()
