"""Pure functions on text: values in, new values out.

encoding   bytes <-> text without losing a byte
lines      line endings, splitting, numbering
diff       unified diffs with hunks
patch      parse and apply multi-file unified diffs
match      the ladder that finds an edit's text
gutter     the `12 | ` that a numbered read adds
paths      what a path may be called: names that are invalid, protected or reserved
display    showing a person bytes that may try to deceive
"""
