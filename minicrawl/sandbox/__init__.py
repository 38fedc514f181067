"""Child processes, limited in CPU time and memory, for foreign code and for slow parsing of foreign bytes.

sandbox  the children, as seen by their caller
child    a child: calls one function, again and again
"""
