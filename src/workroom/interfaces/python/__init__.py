"""The Python interface: answer (what a call gives back), calls and editor_calls (all, typed), room (the connection)."""
