"""Steps of bough in other libraries: one file each, imported when it is asked for."""
