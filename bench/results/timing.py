"""CPU seconds of every method with its defaults: one thread, reading the file included. Unlike seconds on the clock they hardly
depend on what else the machine does."""
import os
import subprocess

UNFIT = 3  # pith's exit status
NO_SAMPLING = "nrfs, no sampling"  # NRFS's Figure 7


def words(entry, name):
    return (["nrfs", "--sampling", "none"] if name == NO_SAMPLING else [name]) + (["--tree", entry["tree"]] if name == "hufs" else [])


def seconds(command):
    """Of this process and of those that it waited for, whatever else runs; None: the method refuses the data."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == UNFIT:
        return None
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit {process.returncode}")
    return round(used.ru_utime + used.ru_stime, 4)


def make(program, path, job):
    """{method: seconds}"""
    return {"seconds": {name: seconds([str(program), "rank", str(path), "-m", *words(job.entry, name), "--threads", "1", "-q"])
                        for name in (*job.methods, NO_SAMPLING)}}
