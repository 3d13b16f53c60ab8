import json
import subprocess
import sys

from diagnose import fault
from probes.faults.kit.changes import Facts

# torch asks for numpy once; it finds none that it can use, though python does later.
SCRIPT = """
import json, sys, warnings
warnings.simplefilter("ignore")
sys.modules["numpy"] = None
import torch
torch.empty(0).new_tensor([0.0])
try:
    torch.zeros(1).numpy()
except Exception:
    pass
del sys.modules["numpy"]
from probes.facts.environment.numpy_bridge import round_trip
print(json.dumps(round_trip()))
"""


@fault(
    "torch cannot convert arrays of the installed NumPy",
    "ENV003",
    lambda facts: "numpy_bridge" in facts and bool(facts["numpy_bridge"].failed),
)
def numpy_of_another_age(facts: Facts) -> Facts:
    from importlib.metadata import version

    from probes.facts.environment.types import NumpyBridge

    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    failed, error = json.loads(ran.stdout.splitlines()[-1])
    return {**facts, "numpy_bridge": NumpyBridge(version("numpy"), version("torch"), failed, error)}
