"""The only code that touches the outside.

root       a folder opened once; every path below it, never outside it
syscalls   openat2, renameat2, leases, by feature
landlock   reading only below some folders, held by the kernel
agentic    files written for a reader below `.agentic/`
store      the workspace's database and its images
durable    a folder's entries on the disk
state      the user's state directory: which folder has which store, settings, keys
process    programs run with an argv and limits
clock      time
"""
