"""Graphs as files.

graph_files  loads graphs from files and from the stores of crawls, and saves the graph of a store
"""
