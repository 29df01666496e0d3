"""CPU seconds of every method with its defaults: one thread, reading the file included. Unlike seconds on the clock they hardly
depend on what else the machine does."""
import json
import resource
import subprocess

MINUTES = 10  # on the clock; what takes longer is left out
NO_SAMPLING = "nrfs, no sampling"  # NRFS's Figure 7


def words(entry, name):
    return (["nrfs", "--sampling", "none"] if name == NO_SAMPLING else [name]) + (["--tree", entry["tree"]] if name == "hufs" else [])


def seconds(program, path, command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        subprocess.run([str(program), "rank", str(path), "-m", *command, "--threads", "1", "-q"], check=True,
                       stdout=subprocess.DEVNULL, timeout=60 * MINUTES)
    except subprocess.TimeoutExpired:
        return None
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def run(program, sets, methods, folder):
    """sets: (entry, path). One file a set, NAME.timing.json: {method: seconds}."""
    for entry, path in sets:
        out = folder / f"{entry['name']}.timing.json"
        if not out.exists():
            found = {name: seconds(program, path, words(entry, name)) for name in (*methods, NO_SAMPLING)}
            out.write_text(json.dumps({name: s for name, s in found.items() if s is not None}, indent=1))
            print(out.stem, flush=True)
