"""Builds and connects everything below: many workspaces in one process."""
