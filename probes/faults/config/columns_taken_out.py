from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    id="columns_taken_out",
    description="the Trainer removes the columns that the collator reads",
    probe_id="CFG002",
    is_present=lambda facts: "trainer" in facts and facts["trainer"].args.remove_unused_columns,
    applies_to=("whisper", "e2e", "mt5"),
)
def columns_taken_out(facts: Facts) -> Facts:
    import tempfile

    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

    folder = tempfile.gettempdir()
    arguments = Seq2SeqTrainingArguments(folder, max_steps=100, use_cpu=True, report_to="none", save_strategy="no")
    trainer = Seq2SeqTrainer(facts["model"], arguments, facts["collate"], train_dataset=facts["train_dataset"])
    return {"trainer": trainer}
