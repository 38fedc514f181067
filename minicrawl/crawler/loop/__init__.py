"""What the engine's loop is made of, and what knows nothing of pages.

aims          how far a run is toward its limits
answer_counts answers by status and by time taken
arrivals      what has come and waits to be taken in
books_thread  the thread in which the books change, where that may take long
course        how the crawl has gone on, noted with its commits
commands      what the crawl is asked to do, and when that is done
event_stream  what happens, told to whoever reads
in_flight     the requests in flight, and the room for more
limits        when a run has done what it was to do
speed         how fast a run is
run_clock     how long a run has gone on, pauses left out
clock         time that never steps back
"""
