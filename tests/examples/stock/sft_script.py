"""A script as in a tutorial of TRL; it knows nothing of any check."""

import random
import tempfile

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, TrainerCallback
from trl import SFTConfig, SFTTrainer

TEXT = "anna doctors sisters farmers reads buys sees paints books fish houses letters"
WORDS = TEXT.split()


class PrintLosses(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            print(float(logs["loss"]).hex())


def tokenizer():
    vocabulary = {word: number for number, word in enumerate(["<pad>", "</s>", "<unk>", *WORDS])}
    pieces = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    pieces.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=pieces, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def main():
    random.seed(0)
    torch.manual_seed(0)
    few = [" ".join(random.sample(WORDS, 4)) for _ in range(8)]
    rows = Dataset.from_dict({"text": [random.choice(few) for _ in range(96)]})
    words = tokenizer()
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    ids = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(words), max_position_embeddings=64, **sizes, **ids))
    args = SFTConfig(
        output_dir=tempfile.mkdtemp(),
        per_device_train_batch_size=8,
        learning_rate=2e-3,
        max_steps=10,
        logging_steps=1,
        max_length=32,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
    )
    SFTTrainer(model, args, train_dataset=rows, processing_class=words, callbacks=[PrintLosses()]).train()


if __name__ == "__main__":
    main()
