"""What a host's robots.txt allows (RFC 9309).

rules     a robots.txt read, and when to ask for it again
matching  which rule decides on a URL
trie      the same where there are a thousand wildcard rules
"""

from minicrawl.crawler.robots.rules import RobotsRules

__all__ = ["RobotsRules"]
