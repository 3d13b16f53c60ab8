"""A Seq2SeqTrainer of transformers around a healthy subject, and all that it holds."""

from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

from probes.healthy import healthy


def arguments(folder, **more):
    given = {
        "max_steps": 20,
        "per_device_train_batch_size": 4,
        "learning_rate": 1e-3,
        "warmup_steps": 5,
        "logging_steps": 1,
        "save_strategy": "no",
        "report_to": "none",
        "use_cpu": True,
        "remove_unused_columns": False,
        "disable_tqdm": True,
    }
    return Seq2SeqTrainingArguments(output_dir=str(folder), **given | more)


def trainer_of(folder, name="whisper", trainer=Seq2SeqTrainer, optimizers=(None, None), subject=0, **more):
    facts = healthy(name, subject)
    facts["model"].accepts_loss_kwargs = False
    return trainer(
        model=facts["model"],
        args=arguments(folder, **more),
        train_dataset=facts["train_dataset"],
        eval_dataset=facts["eval_batches"].dataset,
        data_collator=facts["collate"],
        processing_class=facts["tokenizer"],
        optimizers=optimizers,
    )


def traces(trainer):
    """All that a Trainer and its accelerator hold, by identity."""
    accelerator, gradients = trainer.accelerator, trainer.accelerator.gradient_state
    lists = {name: list(map(id, value)) for name, value in vars(accelerator).items() if isinstance(value, list)}
    attributes = {name: id(value) for name, value in vars(trainer).items()}
    state = gradients.sync_gradients, gradients.active_dataloader, len(gradients.dataloader_references)
    return attributes, lists, state, repr(trainer.state), repr(trainer.control)
