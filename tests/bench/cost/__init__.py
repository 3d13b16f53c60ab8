"""What a step and its observation cost, on models of real size."""
