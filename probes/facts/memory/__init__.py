"""Memory of a step before it is taken: what is counted, what it would be under other settings, how long it takes."""
