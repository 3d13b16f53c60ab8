from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import Parameters
from probes.facts.placement.types import MasterWeights

# Half a step between neighbours, relative to the larger one's power of 2.
DIGITS = {"float16": 2**-11, "bfloat16": 2**-8}


@probe(id="PLC002", stage=Stage.PLACEMENT, severity=Severity.ERROR, explains=("LAB023", "LOS*", "GRD*", "PRE*", "LRN*"))
def trained_weights_are_16_bit(parameters: Parameters, master_weights: MasterWeights) -> Findings:
    """Trainable weights are stored in 16 bits, so small updates are rounded away."""
    rows = [row for row in parameters.rows if row.trainable and row.dtype in DIGITS]
    if rows and not master_weights.source:
        size, kind = sum(row.size for row in rows), rows[0].dtype
        rate = master_weights.rate or 0.0
        lost = f"; at learning rate {rate:g}, Adam updates are rounded away on weights above {rate / DIGITS[kind]:.2g}"
        yield Finding(
            where=rows[0].name,
            message=f"{size:,} of {parameters.trainable:,} trainable values are {kind}, expected float32 or an "
            f"optimizer with float32 master weights{lost if rate else ''}",
            fix="load with dtype=torch.float32 and use autocast for 16 bits (fp16=True or bf16=True)",
            measured={"values": size, "dtype": kind, "rate": master_weights.rate},
        )
