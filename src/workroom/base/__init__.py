"""Values that every layer shares: the standard library and pydantic only, no input or output.

errors     ErrorCode, WorkroomError
envelope   what a tool answers with
actor      who does something
changes    State, Change, ChangeSet, Permit
events     what happened
settings   what the person decides in advance
ids        identifiers
"""
