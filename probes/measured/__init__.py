"""What instruments measure: plain, frozen data. No torch, no judgement; thresholds live in the probes."""
