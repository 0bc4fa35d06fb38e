"""The Python interface: answer (what a call gives back), calls (every action, typed), room (the connection)."""
