"""What every call into the library needs: a seed, a number of threads, a progress callback; and what it says meanwhile."""
import numbers
import os
import sys
import time
import warnings

import numpy as np

_state = {"used": False, "forked": False}


def _after_fork():
    # The threads of OpenMP do not survive a fork, and libgomp waits for them for ever.
    _state["forked"] = _state["used"]


os.register_at_fork(after_in_child=_after_fork)


def threads_of(threads):
    """0: all cores. In a forked child of a process that has used them, there is one."""
    _state["used"] = True
    if threads is None:
        threads = 0
    elif isinstance(threads, (bool, np.bool_)) or not isinstance(threads, numbers.Integral):
        raise TypeError(f"threads: a whole number or None is expected, not {type(threads).__name__}")
    elif not 1 <= threads <= 4096:
        raise ValueError(f"threads: a whole number in 1..4096 or None is expected, not {threads}")
    return 1 if _state["forked"] else int(threads)


def seed_of(random_state):
    """The library's seed."""
    if random_state is None or random_state is np.random:
        return int(np.random.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, (bool, np.bool_)) or not isinstance(random_state, numbers.Integral):
        raise TypeError(f"random_state: a whole number, a RandomState, a Generator or None is expected, "
                        f"not {type(random_state).__name__}")
    if not 0 <= random_state < 2**64:
        raise ValueError(f"random_state: a whole number in 0..2^64-1 is expected, not {random_state}")
    return int(random_state)


# What the library proposes, and what it is here.
REMEDIES = {"which prep auto takes": "which pith.prep(X, 'auto').X has",
            "prepare them first (zscore)": "prepare them first, as pith.prep(X, 'zscore').X"}


def in_words(text):
    """A sentence of the library with remedies as they are here."""
    for theirs, ours in REMEDIES.items():
        text = text.replace(theirs, ours)
    return text


def noted(text):
    """A note of the library becomes a warning of the line that called the package, for filters and to be shown once for each.
    Called by pith._core."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(in_words(text.removeprefix("warning: ")), UserWarning, stacklevel=level)


class Bar:
    """A progress bar on stderr, in one line, as tqdm draws it. Called by the library with (done, what)."""

    WIDTH = 20

    def __init__(self, title):
        self.title, self.began, self.length = title, time.monotonic(), 0

    def __call__(self, done, what):
        # Some eighths of a block make the bar smooth.
        whole, part = divmod(round(min(max(done, 0.0), 1.0) * self.WIDTH * 8), 8)
        blocks = ("█" * whole + (" ▏▎▍▌▋▊▉"[part] if part else "")).ljust(self.WIDTH)
        line = f"{self.title}: {done:4.0%}|{blocks}| {time.monotonic() - self.began:.1f}s {what}"
        sys.stderr.write("\r" + line.ljust(self.length))
        sys.stderr.flush()
        self.length = len(line)

    def close(self, what):
        self(1.0, what)
        sys.stderr.write("\n")


class watching:
    """with watching(verbose, "cl-des") as watch: ... hands pith._core what to call, or None."""

    def __init__(self, verbose, title):
        self.bar = Bar(title) if verbose else None

    def __enter__(self):
        return self.bar

    def __exit__(self, kind, *rest):
        if self.bar is not None:
            self.bar.close("done" if kind is None else "stopped")
