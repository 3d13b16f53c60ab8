"""How a finding is made of a row, a setting, a step, a failure or a value that is not finite."""
