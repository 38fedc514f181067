"""What only the store of a partition is asked.

at_home     its own pages, ranked among those of all partitions
"""
