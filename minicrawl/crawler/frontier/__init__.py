"""The frontier: the next page to fetch.

frontier       the next page of the next host, the clocks of hosts and addresses, the hosts with errands
waiting_pages  the queue of pages: those that wait on every host, and the best of the hosts on offer
site_turns     the site where most cash waits, which has one turn in ten, so that no site of many pages waits for long
offers         the best that hosts on offer have, of whatever order
due_pages      read pages by the value of a fetch now, the times at which they are due, those worth most now
schedules      the interval between two fetches of a page, by worth or rules; belief in dates; assumed change rates
addresses      the clocks of IP addresses that hosts share
"""
