"""The frontier: the next page to fetch.

frontier       the next page of the next host, and the clocks of hosts and addresses
waiting_pages  the pages that wait on every host, and the best among them
due_pages      when read pages are fetched again
schedules      the interval between two fetches of a page: rules, assumed change rates, belief in dates
most_worth     read pages by the gain of a fetch now
lanes          the best page of the hosts on offer, and the hosts with errands
waits          the reason a host waits for, and until when
addresses      the IP addresses of hosts, and the number of look-ups at once
"""
