"""The report for people: one HTML file.

contents  what it says of a store
document  the file, with document.css and document.js
markup    text from the web as text of the file
"""
