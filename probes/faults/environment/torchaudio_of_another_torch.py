from diagnose import fault
from probes.faults.changes import Facts


@fault("torchaudio_of_another_torch", "torchaudio was built for CUDA, torch was not", "ENV001", lambda f: "builds" in f)
def torchaudio_of_another_torch(facts: Facts) -> Facts:
    from probes.measured.data import Builds

    return {**facts, "builds": Builds(torch="2.13.0+cpu", torchaudio="2.11.0+cu130", loads=False)}
