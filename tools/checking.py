"""What the checks of the source share: how they are called, and how each is tried on files that it must complain about."""
import pathlib
import sys
import tempfile


def self_test(offences, files):
    """Does the check say of each file what is wanted, and nothing else? files: name to (content, what is wanted or None)."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, (content, _) in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        said = {}
        for line in offences(root):
            where, _, what = line.partition(": ")
            said.setdefault(where.split(":")[0], []).append(what)
    wrong = 0
    for name, (_, wanted) in files.items():
        if said.get(name, []) != ([wanted] if wanted else []):
            print(f"{name}: expected {wanted!r}, said {said.get(name)!r}")
            wrong += 1
    return 1 if wrong else 0


def main(name, offences, files):
    """The exit status: 1 if the check, of the checkout or of itself, finds anything."""
    if sys.argv[1:] == ["--self-test"]:
        return self_test(offences, files)
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    found = list(offences(root))
    print("\n".join(found) if found else f"{name}: clean")
    return 1 if found else 0
