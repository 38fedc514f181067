"""The frontier: the next page to fetch.

frontier       the next page of the next host, and the clocks of hosts and addresses
waiting_pages  the pages that wait on every host, and the best among them
due_pages      read pages by the value of a fetch now, and the times at which they are due
change_rates   the change rates assumed of pages before they are fetched again
schedules      the interval between two fetches of a page, by worth or rules; belief in dates
most_worth     the read pages of a store that are worth most now
lanes          the best page of the hosts on offer, and the hosts with errands
waits          the reason a host waits for, and until when
addresses      the IP addresses of hosts, and the number of look-ups at once
"""
