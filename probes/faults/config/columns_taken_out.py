from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    "the Trainer removes the columns that the collator reads",
    "CFG002",
    lambda facts: "trainer" in facts and facts["trainer"].args.remove_unused_columns,
    ("whisper", "e2e", "mt5"),
)
def columns_taken_out(facts: Facts) -> Facts:
    import tempfile

    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

    folder = tempfile.gettempdir()
    arguments = Seq2SeqTrainingArguments(folder, max_steps=100, use_cpu=True, report_to="none", save_strategy="no")
    trainer = Seq2SeqTrainer(facts["model"], arguments, facts["collate"], train_dataset=facts["train_dataset"])
    return {"trainer": trainer}
