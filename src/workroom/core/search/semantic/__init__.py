"""Which places in the files are about what a question says, in other words, too.

words      a text's words: identifiers split, then cut down to their stems
chunks     a file in pieces: its definitions, what lies between them, else so many lines
vectors    what words mean, as vectors that ship in a package; whole pieces as sums of those
table      the pieces of many files in one SQLite file: stems for BM25, vectors
endpoint   vectors from a server that speaks OpenAI's protocol, where the person has named one
build      a program of its own: brings the table to what stands in the folder
rank       the pieces that fit a question best, by words and by meaning
service    Semantic: keeps tables current, asks them, and reads what they answer from disk again
"""
