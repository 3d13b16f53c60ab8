from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.installations import without_package


@fault(
    "a package that training needs is not there",
    "ENV002",
    lambda facts: any(not package.imported for package in facts.get("packages", ())),
)
def package_not_installed(facts: Facts) -> Facts:
    from probes.facts.environment.facts import packages

    with without_package("soundfile"):
        return {**facts, "packages": packages()}
