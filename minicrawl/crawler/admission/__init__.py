"""Admission: which discovered URLs become known pages.

seeds      seed files, URLs and standard input
scope      the links that are followed, the rule that refuses each other one; boosts and topic words
budgets    pages and hosts of sites that a server may make up without end
admission  the question to all of these for a URL
"""
