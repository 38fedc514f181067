"""What a crawl would do, before it does.

dry_run     what would be asked for first, by host, and what would be left out
"""
