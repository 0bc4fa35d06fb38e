"""The Model Context Protocol over the server's socket, and the stdio shim."""
