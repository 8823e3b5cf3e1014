"""The editable description of a system: a tree of frames with the elements and shapes attached to it."""
