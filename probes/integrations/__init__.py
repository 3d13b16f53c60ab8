"""Ways into the trainers of others: callbacks, a watched loop, a script that is not changed, collators, recordings."""
