from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.environment.types import TorchBuilds


@probe(id="ENV001", stage=Stage.ENVIRONMENT, severity=Severity.ERROR, explains=("ENV*",))
def torchaudio_build_differs(torch_builds: TorchBuilds) -> Findings:
    """torchaudio is built for a different torch, so importing it or transformers fails."""
    builds = torch_builds
    if not builds.loads:
        yield Finding(
            where="torchaudio",
            message=(f"torchaudio {builds.torchaudio} with torch {builds.torch}, expected the same build tag"),
            fix="run diagnose env --repair",
            measured={"torch": builds.torch, "torchaudio": builds.torchaudio},
        )
