from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import ModelFamily, SettingLocation
from probes.reporting.setting_finding import setting_finding

# Feed-forward outputs above 65504 with the released weights: many separate reports for T5 (the loss is nan within
# steps), fewer and later (after 70,000 steps) for mBART and Pegasus. Sources: FAULTS, prec_t5_* and prec_mbart_*.
AT_ONCE = {"t5", "mt5", "umt5", "longt5", "switch_transformers"}
LATE = {"mbart", "pegasus", "pegasus_x", "m2m_100", "plbart"}


@probe(id="CFG018", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("PRE*", "LOS001", "GRD004"))
def fp16_overflows_in_model_family(fp16_setting: SettingLocation, model_families: tuple[ModelFamily, ...]) -> Findings:
    """fp16 is enabled for a model family known to overflow in fp16: the loss becomes NaN."""
    for family in model_families:
        if family.kind in AT_ONCE | LATE:
            at_once = family.kind in AT_ONCE
            yield setting_finding(
                fp16_setting,
                f"{family.source} is a {family.kind} model; its activations exceed 65504, the largest fp16 number, "
                f"{'within the first steps' if at_once else 'late in training'}",
                "use bf16 if the device supports it, otherwise fp32",
                None if at_once else Severity.WARNING,
                family=family.kind,
            )
