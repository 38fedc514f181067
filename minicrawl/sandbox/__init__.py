"""Child processes, limited in CPU time and memory, for foreign code and for slow parsing of foreign bytes.

sandbox  the parent's side: starts children, calls them, enforces limits
child    the child's side: calls one function, again and again
"""
