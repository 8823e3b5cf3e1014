"""`python -m bough.gallery` writes the model files of the gallery again, after a change of a function."""

from bough.gallery import entries
from bough.io import save

for entry in entries():
    entry.file.parent.mkdir(exist_ok=True)
    save(entry.function(), entry.file)
    print(entry.file.name)
