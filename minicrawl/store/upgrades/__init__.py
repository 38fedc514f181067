"""Steps from one schema to the next: to_28.sql makes a store of schema 28 of one of 27, and so on.

A step has all that its version needs, also definitions of tables that are as today: these go on to change. What a new
version asks for and an earlier store does not know becomes what the crawler takes as unknown. A step that SQL cannot
take is a module with a function `upgrade` of the connection. All steps run in one transaction, without the views of the
store, and with its triggers.

to_30  what is known beside a text stands before it, not packed
"""
