"""An environment in which something is missing, of another build, or of another name. Said, not installed."""

from diagnose import fault
from probes.faults.changes import Facts


@fault("torchaudio_of_another_torch", "torchaudio was built for CUDA, torch was not", "ENV001", lambda f: "builds" in f)
def torchaudio_of_another_torch(facts: Facts) -> Facts:
    from probes.measured.data import Builds

    return {**facts, "builds": Builds(torch="2.13.0+cpu", torchaudio="2.11.0+cu130", loads=False)}


@fault("package_not_installed", "a package that training needs is not there", "ENV002", lambda f: "packages" in f)
def package_not_installed(facts: Facts) -> Facts:
    """Really looked for."""
    from probes.instruments.packages import imports

    return {**facts, "packages": imports(("numpy", "torch", "package_that_nobody_wrote"))}


@fault(
    "numpy_of_another_age", "torch cannot take arrays of the numpy beside it", "ENV003", lambda f: "numpy_bridge" in f
)
def numpy_of_another_age(facts: Facts) -> Facts:
    from probes.measured.environment import Bridge

    return {
        **facts,
        "numpy_bridge": Bridge("2.3.0", "2.2.2", "torch.from_numpy", "RuntimeError: Numpy is not available"),
    }


@fault(
    "sentencepiece_not_installed",
    "nothing reads the tokenizer's vocabulary",
    "ENV005",
    lambda f: "tokenizer_needs" in f,
)
def sentencepiece_not_installed(facts: Facts) -> Facts:
    from probes.measured.environment import TokenizerNeeds

    names = ("sentencepiece",)
    why = "its vocabulary is spiece.model"
    return {**facts, "tokenizer_needs": TokenizerNeeds("mt5-small", why, names, names, ("it is not installed",))}


@fault(
    "trainer_of_ones_own",
    "a folder named trainer stands before this project's",
    "ENV006",
    lambda f: "trainer_package" in f,
)
def trainer_of_ones_own(facts: Facts) -> Facts:
    from probes.measured.environment import NamedPackage

    return {**facts, "trainer_package": NamedPackage("trainer", "my_project/trainer.py", ours=False)}
