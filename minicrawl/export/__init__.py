"""What a crawl found, written as files for other programs."""
