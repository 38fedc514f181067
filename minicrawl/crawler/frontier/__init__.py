"""Which page is next.

frontier  which page of which host, and when
lanes     the best page of the hosts on offer
"""
