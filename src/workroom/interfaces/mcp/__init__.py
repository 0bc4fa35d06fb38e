"""The Model Context Protocol over the server's socket and over HTTP, and the stdio shim.

jsonrpc, eras, steps, protocol   the protocol as values, without input or output; standard library only
conversation, calls              one client's talk, over whatever transport, and what of it is under way
answers, progress, subscriptions, resources, prompts, elicitation, adapters   what it says
connection, shimmed              the transports that are lines
streamable                       the transport that is HTTP
shim, diagnostic                 what a client starts; standard library only
"""
