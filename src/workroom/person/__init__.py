"""What only a person may do; callable only with a PersonCredential.

credential  the proof that the person themselves asks
decisions   what waits, yes and no
present     what they are shown before they decide
settings    settings and mode
clients     tokens for clients that come over HTTP
files       a file's bytes, also where they are no text
undo        the history, and taking it back
"""
