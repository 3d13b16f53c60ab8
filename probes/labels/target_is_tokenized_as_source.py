from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.collation.types import LabelTextMatches


@probe(id="LAB014", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB009", "LRN*", "GEN*"))
def target_is_tokenized_as_source(label_text_matches: LabelTextMatches) -> Findings:
    """Target texts are tokenized as source texts, with the wrong language token or vocabulary."""
    wrong = [row for row in label_text_matches.rows if row.as_source]
    if wrong:
        yield Finding(
            where=wrong[0].where,
            message=f"the labels of {len(wrong)} of {len(label_text_matches.rows)} rows are tokenizer(text), which "
            "for this tokenizer differs from tokenizer(text_target=text)",
            fix="tokenize targets with text_target= (or as_target_tokenizer in old code)",
            measured={"rows": len(wrong), "of": len(label_text_matches.rows)},
        )
