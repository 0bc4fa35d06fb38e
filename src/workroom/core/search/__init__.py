"""Looking at what is in a root's files; nothing here changes any.

listing, folders, names, ignore, tracked   which files there are: in a folder, below it, kept; what git leaves out
fuzzy, offer                               which paths fit some letters
excerpt, part, pieces, encodings           lines and parts of a file, however large it is
pdf, pdf_text                              pages of a PDF as text, by a program of its own
text, query, matches, ripgrep              text search, by ripgrep
index                                      which files such a search can leave out
syntax                                     what is defined in a file, by tree-sitter
semantic                                   places that are about what a question says
survey, landmarks                          what a tree is made of, and what a newcomer looks for
stamp, idle                                whether a file is what it was; when what is kept is let go
"""
