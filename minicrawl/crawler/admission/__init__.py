"""Admission: which discovered URLs become known pages, and with how much cash.

admission   one question to scope, ownership and traps for each new URL
seeds       seed files, URLs and standard input
scope       the links that are followed, and the rule that refuses each other one
focus       weights of links: boosts, topic words, media types that the user wants
traps       pages that a server makes up without end: a folder
"""
