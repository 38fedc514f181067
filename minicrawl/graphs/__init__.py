"""Graphs as files.

keys       links as sorted numbers, the quick way to a graph without repeats
loading    graphs from files and from the stores of crawls
saving     the graph of a store, in the formats of graph programs
"""
