"""Property tests judge what code does, not how busy the machine is."""

from hypothesis import HealthCheck, settings

settings.register_profile("gonogo", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gonogo")
