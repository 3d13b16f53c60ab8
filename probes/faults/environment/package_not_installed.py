from diagnose import fault
from probes.faults.changes import Facts


@fault("package_not_installed", "a package that training needs is not there", "ENV002", lambda f: "packages" in f)
def package_not_installed(facts: Facts) -> Facts:
    """Really looked for."""
    from probes.instruments.packages import imports

    return {**facts, "packages": imports(("numpy", "torch", "package_that_nobody_wrote"))}
