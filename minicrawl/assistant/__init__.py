"""A crawl as tools of an assistant, by the Model Context Protocol (MCP).

answers  the answers of the tools: bounded texts, in which text from the web stands between marks
serving  the server: tools, resources, and its transports
"""
