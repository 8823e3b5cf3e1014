"""The methods that step a model, and the runs they make."""
