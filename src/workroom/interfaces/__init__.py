"""Translate wire to call and back; decide nothing."""
