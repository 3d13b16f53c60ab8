from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.prefix_types import LabelPrefixes


@probe(id="LAB026", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def label_language_differs(label_prefixes: LabelPrefixes) -> Findings:
    """The language token of the labels differs from the language set for generation."""
    languages = {row.language for row in label_prefixes.rows if row.language}
    for source, wanted in label_prefixes.languages.items():
        alike = {language for language in languages if len(language) == len(wanted)}
        if alike and wanted not in alike:
            yield Finding(
                where=label_prefixes.rows[0].where,
                message=f"the rows start with {', '.join(sorted(alike))}, but {source} is {wanted}: generation "
                "requests a language that is not in the labels",
                fix="set the same language in the label prefix, the tokenizer and the generation config",
                measured={"labels": ", ".join(sorted(alike)), "wanted": wanted},
            )
