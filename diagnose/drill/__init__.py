"""The drill: known faults are put into a person's own subject, one at a time, and the alarm is watched."""
