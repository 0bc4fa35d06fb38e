"""Which files can hold what a search looks for: it only narrows what ripgrep then really searches.

signature   the trigrams of one file's bytes, hashed into as many bits as it has need of
literals    what every line that a query finds must hold, as far as that is certain
matrix      the signatures of many files, one row for each bit, in a file of the state directory
manifest    which files are in the matrices, and what each was when it was read
build       a program of its own: reads what has changed since the last time
service     Index: kept current by the watcher; answers the candidates of a query, or that it can't say
"""
