from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.environment.types import PackageImport


@probe(id="ENV002", stage=Stage.ENVIRONMENT, severity=Severity.ERROR)
def package_is_not_importable(packages: tuple[PackageImport, ...]) -> Findings:
    """A package required for training cannot be imported."""
    for package in packages:
        if not package.imported:
            told = f"the python process exited with {package.ended}" if package.ended else package.error
            name = f"{package.name} {package.version}".strip()
            yield Finding(
                where=f"package {package.name}",
                message=f"import {name} in a new process: {told}, expected no error",
                fix=f"reinstall {package.name} with the pinned versions: pip install -c constraints.txt {package.name}",
                measured={"package": package.name, "version": package.version, "signal": package.ended},
            )
