from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.gradients.types import UserStep

CHANGED = 0.999  # of the norm at the update: what a clip behind it leaves; rounding is a thousand times finer
# Clipping at c before unscaling by s leaves c / s. A scaler starts at 65536; nobody clips below a thousandth.
SCALED, TINY = 256.0, 1e-3


@probe(id="GRD017", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LRN*",))
def gradients_are_clipped_wrongly(user_step: UserStep) -> Findings:
    """Gradients are clipped after the update, or before they are unscaled."""
    for call in user_step.calls:
        if not call.updates or not call.backward_calls:
            continue
        used, made = call.updates[-1].norm, call.backward_calls[-1].after
        if 0 < call.left < CHANGED * call.updates[-1].after and call.updates[-1].walks == len(call.backward_calls):
            yield Finding(
                where="training_step",
                message=f"the gradient norm is {used:.4g} at the update and {call.left:.4g} after it, expected "
                "clipping before the update",
                fix="call clip_grad_norm_ between backward() and optimizer.step()",
                measured={"at_update": used, "afterwards": call.left},
            )
            return
        if call.scale >= SCALED and 0 < used < TINY and used < 0.01 * made / call.scale:
            yield Finding(
                where="training_step",
                message=f"the update uses a gradient of norm {used:.3g}, expected {made / call.scale:.3g} or the "
                f"clipping limit: it was clipped to {used * call.scale:.3g} while still scaled by {call.scale:.0f}",
                fix="call scaler.unscale_(optimizer) before clip_grad_norm_",
                measured={"at_update": used, "unscaled": made / call.scale, "scale": call.scale},
            )
            return
