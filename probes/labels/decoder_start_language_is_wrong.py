from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.prefix_types import LabelPrefixes, language_of


@probe(id="LAB009", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def decoder_start_language_is_wrong(label_prefixes: LabelPrefixes) -> Findings:
    """The decoder start token belongs to a different language than the target."""
    started = language_of([label_prefixes.start])
    labelled = {row.language for row in label_prefixes.rows if row.language}
    wanted = dict(label_prefixes.languages) | ({"the labels": labelled.pop()} if len(labelled) == 1 else {})
    for source, language in wanted.items():
        if started and len(started) == len(language) and started != language:
            yield Finding(
                where="model.config.decoder_start_token_id",
                message=f"the decoder starts with {label_prefixes.start}, but {source} is {language}",
                fix="look up the start token by its code: tokenizer.convert_tokens_to_ids('vi_VN'), not by a fixed "
                "number",
                measured={"start": label_prefixes.start, "wanted": language},
            )
            return
