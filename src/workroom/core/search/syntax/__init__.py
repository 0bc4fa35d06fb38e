"""What is defined in a file: names, kinds, nesting, lines; by tree-sitter's grammars.

model       Definition, Kind, Outline: what is answered
language    which grammar a file is read by
table       what of each grammar's trees is a definition
parse       definitions(grammar, data): pure, and to be called where a crash or a hang is no harm
worker      a program of its own that parses what it is handed
service     Syntax: the files of one folder, each parsed once
"""
