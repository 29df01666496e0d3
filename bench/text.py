#!/usr/bin/env python3
"""Text to counts: pith and scikit-learn's CountVectorizer on the same documents in one run.

    cmake --build build/release --target text_bench && bench/text.py [MEGABYTES]

CPU seconds of one thread from the file to the matrix, the best of three for pith and one run of scikit-learn, as
megabytes of text a second; ratio is pith's rate by scikit-learn's, peak MB pith's memory. The words are made up, with
the frequencies (Zipf) and lengths of English; 'accented' has letters beyond ASCII in every third word. For the counts
to be the same, both split words alike: no stems, no stop words, every word of two letters or more. 'as used' is pith
with its stop words and English stems, which CountVectorizer does not have. Needs scikit-learn (Debian's).
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAME = "text:stem=none:stop-words=none:min-df=1"


def vocabulary(rng, size, accented):
    letters = np.array(list("etaoinshrdlucmfwypvbgkqjxz"))
    weights = 1 / np.arange(1, 27) ** 0.8
    words = set()
    while len(words) < size:
        word = "".join(rng.choice(letters, 2 + rng.poisson(5), p=weights / weights.sum()))
        if accented and len(words) % 3 == 0:
            word = word.replace("e", "é").replace("a", "ä").replace("o", "ø")
        words.add(word)
    return np.array(sorted(words))[rng.permutation(size)]


def documents(megabytes, accented):
    rng = np.random.default_rng(1)
    words = vocabulary(rng, 60000, accented)
    chance = 1 / np.arange(3, len(words) + 3)
    texts, size = [], 0
    while size < megabytes * 1e6:
        drawn = words[rng.choice(len(words), 400 * 200, p=chance / chance.sum())].reshape(200, 400)
        for row in drawn:
            sentences = [" ".join(row[k:k + 16]).capitalize() for k in range(0, 400, 16)]
            texts.append(", and so. ".join(sentences) + ".")
            size += len(texts[-1].encode()) + 1
    return texts


def write(folder, kind, texts):
    if kind == "folder":
        root = pathlib.Path(folder) / "folder"
        for i, text in enumerate(texts):
            (root / str(i % 10)).mkdir(parents=True, exist_ok=True)
            (root / str(i % 10) / f"{i}.txt").write_text(text, encoding="utf-8")
        return root
    path = pathlib.Path(folder) / ("x" + kind)
    with open(path, "w", encoding="utf-8") as f:
        if kind == ".jsonl":
            f.writelines(json.dumps({"text": t}, ensure_ascii=False) + "\n" for t in texts)
        elif kind == ".csv":
            f.write("id,text\n")
            f.writelines(f'{i},"{t}"\n' for i, t in enumerate(texts))
        else:
            f.writelines(t + "\n" for t in texts)
    return path


def ours(program, path, steps):
    out = subprocess.run([program, path, steps, "3"], check=True, capture_output=True, text=True).stdout.split()
    return float(out[0]), [int(v) for v in out[1:5]], int(out[5])


def theirs(texts):
    start = time.process_time()
    counts = CountVectorizer(token_pattern=r"(?u)\b\w\w+\b").fit_transform(texts)
    return time.process_time() - start, [*counts.shape, counts.nnz, int(counts.sum())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("megabytes", type=float, nargs="?", default=60)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bench/text_bench")
    args = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1")
    print(f"{'text':22} {'MB':>4} {'pith MB/s':>9} {'as used':>8} {'sklearn':>8} {'ratio':>6} {'peak MB':>8}")
    for accented in (False, True):
        texts = documents(args.megabytes, accented)
        megabytes = sum(len(t.encode()) + 1 for t in texts) / 1e6
        sk_seconds, sk_counts = theirs(texts)
        for kind in (".txt", ".csv", ".jsonl", "folder"):
            with tempfile.TemporaryDirectory() as folder:
                path = write(folder, kind, texts)
                seconds, counts, peak = ours(args.program, path, SAME)
                used, _, _ = ours(args.program, path, "text")
            assert counts == sk_counts, (kind, counts, sk_counts)
            print(f"{kind + (', accented' if accented else ''):22} {megabytes:4.0f} {megabytes / seconds:9.0f} "
                  f"{megabytes / used:8.0f} {megabytes / sk_seconds:8.1f} {sk_seconds / seconds:6.1f} {peak / 1e6:8.0f}")


if __name__ == "__main__":
    main()
