"""What a crawl would do, before it does.

dry_run     what would be asked for first, by host, and what would be left out
seed_check  whether seeds are there, what robots.txt says of them, and where they lead
"""
