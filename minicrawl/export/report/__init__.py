"""A crawl as one HTML file for people: no script, pictures as SVG, light and dark.

document  the file: what it says, and how it is written     charts  its pictures
"""
