"""The frontier: the next page to fetch.

frontier       the next page of the next host, and the clocks of hosts and addresses
waiting_pages  the pages that wait on every host, and the best among them
due_pages      read pages by the value of a fetch now, the times at which they are due, those worth most now
schedules      the interval between two fetches of a page, by worth or rules; belief in dates; assumed change rates
addresses      the best page of the hosts on offer, the hosts with errands, and the IP addresses of hosts
"""
