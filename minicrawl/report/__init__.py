"""The report for people: one HTML file.

contents  what it says of a store
shape     folders by importance, and the flow of importance between sections
charts    pictures in SVG
document  the file, with document.css and document.js
markup    text from the web as text of the file
"""
