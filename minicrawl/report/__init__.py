"""The report for people: one HTML file.

contents  what it says of a store
document  the file, with document.css
markup    text from the web as text of the file
"""
