"""Admission: which discovered URLs become known pages.

seeds          seed files, URLs and standard input
scope          the links that are followed, the rule that refuses each other one; boosts and topic words
spelling       URLs refused by their spelling, before anything of their pattern was read
traps          pages that a server makes up without end; budgets of sites; the question to scope and traps for a URL
trap_findings  the pattern of a URL, and the evidence gathered on each pattern, kept between runs
"""
