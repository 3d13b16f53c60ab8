from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.installing import without


@fault(
    "package_not_installed",
    "a package that training needs is not there",
    "ENV002",
    lambda facts: any(not package.imported for package in facts.get("packages", ())),
)
def package_not_installed(facts: Facts) -> Facts:
    from probes.providers.environment import packages

    with without("soundfile"):
        return {**facts, "packages": packages()}
