"""Hosts over time: when each may be asked, and whether it is well.

clocks   politeness: the delays of hosts and of IP addresses
health   what an answer says of its host; doubt, illness and rests
looks    answers that look alike, though their URLs differ
judge    decides by a witness, a page that is known to be well
"""
