"""One file a tool: its arguments, its gate kind, its behaviour, its help; and the one road they all take."""
