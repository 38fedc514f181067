"""Outcomes: the meaning of an answer for its page. Every known URL has one reason code.

outcome  read, alias, to be tried again, or given up; the stored row of an answer
retries  the rule behind a reason code, and those that are retried in the next run
"""
