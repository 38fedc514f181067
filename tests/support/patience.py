"""How long tests wait for what a working program does at once."""

PATIENCE = 600.0
"""Seconds. Only a fault lasts so long, however busy the machine is: no test measures anything by it."""
