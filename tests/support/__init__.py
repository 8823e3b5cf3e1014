"""What the tests share: the papers' recursions, finite differences, random trees, peers."""
