"""One durable noun each; each owns its tables.

transactions  plan, guard, commit, recover, undo, the history
permissions   mode x action x destructive -> run, stage, refuse
approvals     what waits for the person, and what they said
plans         what an agent means to do
notes         what a model wants to find again
clients       who may come over HTTP
buffers       which files a client has open, and what it has read of them
audit         what was called, and what came of it
watch         what other programs change
git           the repository: its state, commits, stashes, sync
search        what is in the files: listing, text, fuzzy, index, syntax, semantic, survey, pdf
"""
