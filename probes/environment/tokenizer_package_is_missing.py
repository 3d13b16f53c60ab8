from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.environment.types import TokenizerNeeds


@probe(id="ENV005", stage=Stage.ENVIRONMENT, severity=Severity.ERROR)
def tokenizer_package_is_missing(tokenizer_needs: TokenizerNeeds) -> Findings:
    """A package that the tokenizer needs is missing: sentencepiece or protobuf."""
    needs = tokenizer_needs
    for name, reason in zip(needs.absent, needs.reasons, strict=True):
        package = name.removeprefix("google.")
        yield Finding(
            where=f"tokenizer {needs.source}",
            message=f"{needs.why}, which requires {package}; {package}: {reason}",
            fix=f"pip install -c constraints.txt {package}",
            measured={"package": package, "tokenizer": needs.source},
        )
