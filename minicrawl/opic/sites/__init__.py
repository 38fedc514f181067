"""Where walkers jump to who choose a site first, and then a door of it.

trust        how much other sites trust a site, and the weight of a door
births       birth cash of pages: all alike, or by site and door
graph        links between sites, as they come and go
fixed_point  the share of every site, or page, that a step leaves as it is
"""
