"""CPU seconds of nrfs with and without its sampling beside mcfs and ndfs, as in NRFS's Figure 7: one thread, reading included."""
import json
import resource
import subprocess

COMMANDS = {"nrfs": ["nrfs"], "nrfs, no sampling": ["nrfs", "--sampling", "none"], "mcfs": ["mcfs"], "ndfs": ["ndfs"]}


def seconds(program, path, words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([str(program), "rank", str(path), "-m", *words, "--threads", "1", "-q"], check=True,
                   stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def run(program, paths, out):
    """{set: {command: seconds}}, kept in a file."""
    if not out.exists():
        out.write_text(json.dumps({p.stem: {name: seconds(program, p, words) for name, words in COMMANDS.items()} for p in paths},
                                  indent=1))
        print(out.name, flush=True)
