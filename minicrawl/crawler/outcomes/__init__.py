"""What an answer means for its page. Every known URL has one reason code.

outcome     read, alias, to be tried again, or given up
reasons     the rule behind a reason code, in words
retry       which pages that were given up are asked for again
answer_row  what is kept of an answer
"""
