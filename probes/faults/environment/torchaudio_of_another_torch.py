from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.installations import shadow_package


@fault(
    "torchaudio is built for a different torch",
    "ENV001",
    lambda facts: "torch_builds" in facts and not facts["torch_builds"].loads,
)
def torchaudio_of_another_torch(facts: Facts) -> Facts:
    from probes.facts.environment.facts import torch_builds

    tag = "cu118" if "cu118" not in torch_builds().torch else "cu121"
    files = {"__init__.py": "", "version.py": f"__version__ = '2.11.0+{tag}'\n", "lib/libtorchaudio.so": ""}
    with shadow_package({f"torchaudio/{name}": text for name, text in files.items()}):
        return {**facts, "torch_builds": torch_builds()}
