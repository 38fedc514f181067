"""Child processes for what reads foreign bytes at length, or is foreign code: limited in CPU time and in memory.

sandbox  the children, as who asks them sees them
child    one child: calls one function, again and again
"""
