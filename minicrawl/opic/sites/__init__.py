"""Jumps to a site, and then to one of its doors.

trust        trust of sites, as a fixed point, and weights of doors
births       birth cash of pages: all alike, or by site and door
graph        links between sites, as they come and go
"""
