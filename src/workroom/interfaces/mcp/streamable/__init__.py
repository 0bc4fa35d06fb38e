"""MCP over streamable HTTP: one endpoint for every revision.

rules      what a request's headers must say, and which status an answer has; no input or output
stream     what is sent to a client in answer to one request, or to none: kept, numbered, bounded
sessions   who has introduced itself and stays: the sessions of the revisions that have them
endpoint   the ASGI application: a request in, a response or a stream of events out
"""
