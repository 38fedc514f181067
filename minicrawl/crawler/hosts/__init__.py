"""Hosts, and when they may be asked.

host          a host, its address, and their clocks
host_delays   how long hosts are left alone at the least
politeness    how long a host is left alone between two requests, and when it is dead
outage        whether nobody answers any more
stored_times  times that the last run left behind, in the light of this clock
"""
