from types import SimpleNamespace

from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault

CUT = "found 2 fields, expected 4 as in the column names; add the missing fields"


@corpus_fault("a row of the manifest lost its last fields", "DAT070", lambda f: f.get("manifest_problems"))
def manifest_row_cut(corpus: Facts) -> Facts:
    problem = SimpleNamespace(path="train.csv", line=7, message=CUT, is_readable=False)
    return {**corpus, "manifest_problems": (problem,)}
