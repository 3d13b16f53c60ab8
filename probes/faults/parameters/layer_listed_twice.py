from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts


@fault("one layer stands at two places", "PAR021", lambda f: f["model"][1] is f["model"][2], CLASSIFIER)
def layer_listed_twice(facts: Facts) -> Facts:
    from torch import nn
    from torch.optim import AdamW

    model = facts["model"]
    layer = nn.Linear(model[0].out_features, model[0].out_features)
    for _ in range(2):
        model.insert(1, layer)
    return {**facts, "optimizer": AdamW(model.parameters(), lr=1e-3)}
