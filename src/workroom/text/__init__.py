"""Pure functions on text: values in, new values out.

encoding   bytes <-> text without losing a byte
lines      line endings, splitting, numbering
diff       unified diffs with hunks          partial  some of a file's hunks without the others
patch      read multi-file unified diffs      headers  their names and prefixes
hunks      apply them where their context is  quoting  names as git quotes them
merge      two changes of one file made into one    overlap  where that can't be, as it is shown
match      replace and splice                 ladder   how an edit's text is found
refit      fit a replacement to the file      fold     Unicode folded, with a map back
explain    why an edit's text was not found
gutter     the `12 | ` that a numbered read adds
paths      what a path may be called: names that are invalid, protected or reserved
strict_json  JSON with one meaning
picture    which kind of picture bytes are    piece    the middle of a file as text
display    showing a person bytes that may try to deceive
"""
