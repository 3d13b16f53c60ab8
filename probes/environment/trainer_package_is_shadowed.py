from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.environment.types import PackageLocation


@probe(id="ENV006", stage=Stage.ENVIRONMENT, severity=Severity.WARNING)
def trainer_package_is_shadowed(trainer_package: PackageLocation) -> Findings:
    """The trainer package is shadowed by another package or module of the same name."""
    package = trainer_package
    if package.rivals:
        yield Finding(
            where=f"package {package.name} in {package.found}",
            message=f"{', '.join(package.rivals)} is installed in the same folder, expected only gonogo",
            fix=f"pip uninstall {package.rivals[0].split()[0]}, then reinstall gonogo: each overwrites the other",
            measured={"rival": package.rivals[0]},
        )
    elif not package.ours:
        yield Finding(
            where=f"package {package.name}",
            message=f"it is imported from {package.found}, which is not the trainer package of gonogo",
            fix="run from another folder, rename your own trainer module, or pip uninstall trainer and reinstall "
            "gonogo",
            measured={"found": package.found},
        )
