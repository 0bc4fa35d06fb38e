"""Plan, guard, commit, recover, undo, the history. One writer a workspace."""
