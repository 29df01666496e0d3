"""Ctrl-C, other threads, forks."""
import multiprocessing
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import pith
from conftest import blobs
from pith import _core

LONG = """
    import os, signal, sys, threading, time
    import numpy as np
    import pith
    X = np.random.default_rng(0).normal(size=(30000, 60))
    def press():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=press, daemon=True).start()
    try:
        {call}
    except KeyboardInterrupt:
        print("stopped", flush=True)
    # And all is well afterwards.
    print(pith.Selector("variance", n_features=2).fit(X[:50]).get_support().sum())
"""


def outcome(call):
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(LONG).format(call=call)], capture_output=True, text=True,
                          timeout=60)
    assert done.stdout.split() == ["stopped", "2"], done.stderr
    return time.monotonic() - began


@pytest.mark.parametrize("call", [
    "pith.Laplacian(threads=1).fit(X)",
    "pith.rank(X, 'ndfs', threads=1)",
    "pith.kmeans(X, 500, restarts=100, threads=1)",
    "pith.compare(X, methods='laplacian', clusters=9, threads=1)",
    "pith.prep(X, 'drop-noisy', threads=1)",
])
def test_ctrl_c_stops_long_work(call):
    assert outcome(call) < 20


def test_what_the_watching_function_raises_comes_out():
    def watch(done, what):
        assert 0 <= done <= 1 and isinstance(what, str)
        raise LookupError("enough")
    X = np.random.default_rng(0).normal(size=(2000, 50))
    with pytest.raises(LookupError, match="enough"):
        _core.run("laplacian", X, None, None, {}, 1, 1, watch)


def test_the_lock_is_released():
    """Another thread goes on while a fit runs: it counts what it would not get to count."""
    X = np.random.default_rng(0).normal(size=(3000, 200))
    ticks, running = [0], [True]

    def count():
        while running[0]:
            ticks[0] += 1
            time.sleep(0.001)
    thread = threading.Thread(target=count)
    thread.start()
    result = pith.rank(X, "laplacian", threads=1)
    seen = ticks[0]
    running[0] = False
    thread.join()
    assert result.seconds > 0.02 and seen > 5


def test_fits_of_several_threads_do_not_meet():
    X = blobs(200, 30)[0]
    want = {m: pith.rank(X, m, pairs=2000 if m == "cl-des" else None).scores for m in ("spec", "cl-des", "ndfs")}
    wrong = []

    def work(method):
        for _ in range(5):
            if pith.rank(X, method, pairs=2000 if method == "cl-des" else None).scores.tobytes() != want[method].tobytes():
                wrong.append(method)
    threads = [threading.Thread(target=work, args=(m,)) for m in want for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def _in_child(method):
    return pith.rank(blobs(200, 30)[0], method).scores.tobytes()


def test_a_forked_child_can_work_too():
    """The threads of OpenMP stay behind in the parent; a child that waited for them would hang."""
    want = _in_child("laplacian")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(_in_child, ["laplacian"] * 4).get(60) == [want] * 4


def test_a_fit_inside_a_watching_function():
    X = blobs(1000, 30)[0]
    inner = []

    def watch(done, what):
        if not inner:
            inner.append(pith.rank(X[:50], "spec").scores)
    outer = _core.run("laplacian", X, None, None, {}, 1, 2, watch)
    assert inner[0].tobytes() == pith.rank(X[:50], "spec").scores.tobytes()
    assert bytes(outer["scores"]) == pith.rank(X, "laplacian").scores.tobytes()


def test_no_memory_is_left_behind():
    """Buffers and tables are given back, on success and on failure."""
    X = np.zeros((4, 3))
    X[0] = 1, 2, 3
    counted = sys.getrefcount(X)
    for _ in range(50):
        pith.rank(X, "variance")
        for wrong in (("nonsense", X, None, None, {}, 1, 1, None), ("variance", X, ["a"], None, {}, 1, 1, None),
                      ("variance", X, None, None, {"no": "1"}, 1, 1, None), ("variance", X, None, None, {}, -1, 1, None),
                      ("variance", (3, np.zeros(5, np.int64), np.zeros(0, np.int32), X), None, None, {}, 1, 1, None)):
            with pytest.raises((ValueError, TypeError)):
                _core.run(*wrong)
    del wrong
    assert sys.getrefcount(X) == counted


LITTLE = """
    import resource
    import numpy as np
    import pith
    X = np.random.default_rng(0).normal(size=(400, 60))
    now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    for more in (1, 130, 600):
        resource.setrlimit(resource.RLIMIT_AS, (now + more * 10**6, most))
        for method in ("spec", "kmeans-energy", "mcfs"):
            try:
                pith.Selector(method, n_features=2).fit(X)
                print(more, method, "done")
            except MemoryError as why:
                print(more, method, str(why)[:13])
"""


def test_too_little_memory_is_an_error_and_no_hang():
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(LITTLE)], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "".join(f"{more} {method} {end}\n" for more, end in
                                 ((1, "out of memory"), (130, "out of memory"), (600, "done"))
                                 for method in ("spec", "kmeans-energy", "mcfs"))
