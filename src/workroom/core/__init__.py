"""One durable noun each; each owns its tables.

transactions  plan, guard, commit, recover, undo, the history
permissions   mode x action x destructive -> run, stage, refuse
approvals     what waits for the person, and what they said
plans         what an agent means to do
notes         what a model wants to find again
clients       who may come over HTTP
search        listing, text, fuzzy
"""
