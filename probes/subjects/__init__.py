"""Small healthy runs to look at and to break: see `probes.healthy`."""
