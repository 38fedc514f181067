"""Hosts of the web: their clocks, their health, and outages on our own side.

host        a host, its IP address, their clocks; times that an earlier run stored
politeness  the delay between two requests to a host, and when the host counts as dead
outage      a network failure on our side, told from hosts that die one by one
"""
