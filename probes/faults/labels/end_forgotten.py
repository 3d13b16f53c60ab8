from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import SEQUENCES, lacks_end, with_target_rows


@change_fault(with_target_rows, "targets are tokenized without their EOS token", "LAB007", lacks_end, SEQUENCES)
def end_forgotten(ids: list[int]) -> list[int]:
    return ids[:-1]
