"""What a user writes down: the tree of frames and what is attached to it, before it is compiled."""
