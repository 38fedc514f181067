"""Admission: which discovered URLs become known pages.

admission   one question to scope, ownership and traps for each new URL
seeds       seed files, URLs and standard input
scope       the links that are followed, and the rule that refuses each other one
focus       which pages the user wants more of: boosts, topic words
traps       pages that a server makes up without end: a folder
"""
