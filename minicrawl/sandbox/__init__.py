"""Child processes for foreign code and for slow parsing of foreign bytes: limited in CPU time and memory, no network.

sandbox  the parent's side: starts children, calls them, enforces limits
child    the child's side: calls one function, again and again
cage     memory, network and end of a child, and of a browser
"""
