"""Hosts over time: when each may get a request, and whether it is well.

clocks   politeness: the delays of hosts and of IP addresses
health   what an answer says of its host; doubt, illness and rests. Who judges is visits/host_judge.py
"""
