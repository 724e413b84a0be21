"""Files that are written whole or not at all.

In:  a path, and what belongs there, as text or bytes.
Out: the file. A reader, and whoever comes after a crash, finds all of it or what was there before.
"""
import os
import tempfile


def write_whole(path, content):
    """Makes the folder if there is none; a file that is replaced keeps its mode, and the links that lead to it."""
    path = os.path.realpath(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o644
    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".writing-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content if isinstance(content, bytes) else content.encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
