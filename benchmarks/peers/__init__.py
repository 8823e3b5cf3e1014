"""The other engines, each at its fastest."""
