"""Delimited text as other programs and other countries write it: what separates columns, and decimals."""
import codecs
import csv
import io
import unittest

from support import Case

ROWS = [[1.5, 2.25], [-3.5, 40], [0.125, 6e-3]]
BIG = [[1234.5, 2.25], [-3.5, 40], [0.125, 7.75]]


def text(rows, sep, decimal=".", names=("a", "b"), index=None, end="\n", quote="", corner=""):
    """A table: names NULL for no header, index for row names, quote for names in quotes."""
    def name(n):
        return quote + n + quote
    def number(v):
        return f"{v:g}".replace(".", decimal)
    lines = []
    if names is not None:
        lines.append(sep.join(([corner] if index and corner is not None else []) + [name(n) for n in names]))
    for i, row in enumerate(rows):
        lines.append(sep.join(([name(index[i])] if index else []) + [number(v) for v in row]))
    return end.join(lines) + end


EXCEL_GERMAN = "Größe;Höhe\r\n1,5;2,25\r\n-3,5;40\r\n0,125;0,006\r\n"
INDEX = ["A", "B", "C"]

# name, file, ending, rows, row names. Those by "pandas" and "R" are byte for byte what to_csv and write.csv2 make.
DIALECTS = [
    ("plain", text(ROWS, ","), "csv", ROWS, None),
    ("plain without a header", text(ROWS, ",", names=None), "csv", ROWS, None),
    ("plain, CRLF", text(ROWS, ",", end="\r\n"), "csv", ROWS, None),
    ("plain, CR alone", text(ROWS, ",", end="\r"), "csv", ROWS, None),
    ("semicolons, decimal points", text(ROWS, ";"), "csv", ROWS, None),
    ("semicolons, decimal commas", text(ROWS, ";", ","), "csv", ROWS, None),
    ("the same without a header", text(ROWS, ";", ",", names=None), "csv", ROWS, None),
    ("the same with row names and no header", text(ROWS, ";", ",", names=None, index=INDEX), "csv", ROWS, INDEX),
    ("one column beside row names", "A;1,5\nB;2,5\nC;-7,25\n", "csv", [[1.5], [2.5], [-7.25]], INDEX),
    ("the same, whole numbers among them", "A;1\nB;2,5\nC;-7\n", "csv", [[1], [2.5], [-7]], INDEX),
    ("German Excel", EXCEL_GERMAN.encode("cp1252"), "csv", ROWS, None),
    ("German Excel, UTF-8", codecs.BOM_UTF8 + EXCEL_GERMAN.encode(), "csv", ROWS, None),
    ("German Excel, sep=;", "sep=;\r\n" + EXCEL_GERMAN, "csv", ROWS, None),
    ("German Excel, UTF-8, \"sep=;\"", codecs.BOM_UTF8 + ("\"sep=;\"\r\n" + EXCEL_GERMAN).encode(), "csv", ROWS, None),
    ("sep=, with a tab", "sep=\t\n" + text(ROWS, "\t"), "csv", ROWS, None),
    ("Excel's Unicode text", codecs.BOM_UTF16_LE + text(ROWS, "\t", ",", end="\r\n").encode("utf-16-le"), "txt", ROWS, None),
    ("UTF-16, the other order", codecs.BOM_UTF16_BE + text(ROWS, ";", ",").encode("utf-16-be"), "csv", ROWS, None),
    ("UTF-32", codecs.BOM_UTF32_LE + text(ROWS, ",").encode("utf-32-le"), "csv", ROWS, None),
    ("UTF-32, the other order", codecs.BOM_UTF32_BE + text(ROWS, ",").encode("utf-32-be"), "csv", ROWS, None),
    ("French Excel, a name with a comma", "\"taille, cm\";poids\r\n1,5;2,25\r\n-3,5;40\r\n0,125;0,006\r\n", "csv", ROWS, None),
    ("French Excel, names with apostrophes", "l'âge;d'où\n1,5;2,25\n-3,5;40\n0,125;0,006\n", "csv", ROWS, None),
    ("R write.csv", "\"\",\"a\",\"b\"\n\"1\",1.5,2.25\n\"2\",-3.5,40\n\"3\",0.125,0.006\n", "csv", ROWS, ["1", "2", "3"]),
    ("R write.csv2", "\"\";\"a\";\"b\"\n\"1\";1,5;2,25\n\"2\";-3,5;40\n\"3\";0,125;0,006\n", "csv", ROWS, ["1", "2", "3"]),
    ("R write.csv2, no row names", text(ROWS, ";", ",", quote="\""), "csv", ROWS, None),
    ("R write.table", "\"a\" \"b\"\n\"A\" 1.5 2.25\n\"B\" -3.5 40\n\"C\" 0.125 0.006\n", "txt", ROWS, INDEX),
    ("R write.table, decimal commas", "\"a\" \"b\"\n\"A\" 1,5 2,25\n\"B\" -3,5 40\n\"C\" 0,125 0,006\n", "txt", ROWS, INDEX),
    ("R write.table, tabs", "a\tb\nA\t1.5\t2.25\nB\t-3.5\t40\nC\t0.125\t0.006\n", "tsv", ROWS, INDEX),
    ("pandas, an index", ",a,b\n0,1.5,2.25\n1,-3.5,40.0\n2,0.125,0.006\n", "csv", ROWS, ["0", "1", "2"]),
    ("pandas, an index read back", "Unnamed: 0,a,b\n0,1.5,2.25\n1,-3.5,40.0\n2,0.125,0.006\n", "csv", ROWS, ["0", "1", "2"]),
    ("pandas, columns without names", "0,1\n1.5,2.25\n-3.5,40.0\n0.125,0.006\n", "csv", ROWS, None),
    ("pandas, the same with an index", ",0,1\n0,1.5,2.25\n1,-3.5,40.0\n2,0.125,0.006\n", "csv", ROWS, ["0", "1", "2"]),
    ("pandas, sep=; decimal=,", ";a;b\n0;1,5;2,25\n1;-3,5;40,0\n2;0,125;0,006\n", "csv", ROWS, ["0", "1", "2"]),
    ("pandas, whole numbers without names", "0,1,2,3\n5,3,1,0\n4,9,1,2\n", "csv", [[5, 3, 1, 0], [4, 9, 1, 2]], None),
    ("tabs in a .csv", text(ROWS, "\t"), "csv", ROWS, None),
    ("tabs and decimal commas", text(ROWS, "\t", ","), "tsv", ROWS, None),
    ("tabs, names with blanks", text(ROWS, "\t", names=("a b", "c, d")), "tsv", ROWS, None),
    ("pipes", text(ROWS, "|"), "csv", ROWS, None),
    ("pipes and decimal commas", text(ROWS, "|", ",", index=INDEX), "txt", ROWS, INDEX),
    ("pipes with blanks around", text(ROWS, " | "), "csv", ROWS, None),
    ("blanks", text(ROWS, " "), "txt", ROWS, None),
    ("blanks in a .csv", text(ROWS, " "), "csv", ROWS, None),
    ("aligned by blanks", "   a      b\n 1.5   2.25\n-3.5     40\n0.125 0.006\n", "txt", ROWS, None),
    ("blanks and decimal commas", text(ROWS, " ", ",", names=None), "csv", ROWS, None),
    ("commas and blanks", text(ROWS, ", "), "csv", ROWS, None),
    ("Google Sheets, decimal commas in quotes", "a,b\n\"1,5\",\"2,25\"\n\"-3,5\",40\n\"0,125\",\"0,006\"\n", "csv", ROWS, None),
    ("all in quotes, semicolons", "\"a\";\"b\"\n\"1,5\";\"2,25\"\n\"-3,5\";\"40\"\n\"0,125\";\"0,006\"\n", "csv", ROWS, None),
    ("exponents with decimal commas", "a;b\n1,5E+00;2,25e0\n-3,5;4,0E1\n1,25E-1;6e-3\n", "csv", ROWS, None),
    ("numbers of more than three digits", "a;b\n1234,5;2,25\n-3,5;40\n0,125;7,75\n", "csv", BIG, None),
    ("three places, and numbers below 1", "1,234;0,567\n2,345;0,678\n", "csv", [[1.234, 0.567], [2.345, 0.678]], None),
    ("one column of decimal commas, not all", "Wert\n1,5\n2\n3,25\n", "csv", [[1.5], [2], [3.25]], None),
    ("one column of decimal commas in quotes", "Wert\n\"1,5\"\n\"2,5\"\n", "csv", [[1.5], [2.5]], None),
    ("blank lines and a blank at the ends", "\n\na;b \n1,5;2,25 \n\n-3,5; 40\n0,125;0,006\n\n", "csv", ROWS, None),
    ("text with other separators in quotes", "id;a\n\"x, y | z\";1,5\n\"u;v\";2,5\n", "csv", [[1.5], [2.5]], ["x, y | z", "u;v"]),
    ("text with semicolons, no quotes", "id,a,b\nx;y,1,2\nz,3,4\nw;u;v,5,6\n", "csv", [[1, 2], [3, 4], [5, 6]], ["x;y", "z", "w;u;v"]),
    ("true and false", "on,v\nTrue,1\nFalse,2\nTrue,3\n", "csv", [[1, 1], [0, 2], [1, 3]], None),
    ("R's TRUE and FALSE", "\"on\";\"v\"\nTRUE;1,5\nFALSE;2\n", "csv", [[1, 1.5], [0, 2]], None),
]

# name, file, ending, what the message says
DOUBTS = [
    ("thousands in German", "a;b\n1.234,56;2\n2.345,67;3\n", "csv", ["x.csv:2: column 'a': '1.234,56' has thousands"]),
    ("thousands in English", "a,b\n\"1,234.56\",2\n\"2,345.67\",3\n", "csv", ["x.csv:2: column 'a': '1,234.56' has thousands"]),
    ("thousands in French", "a;b\n1\u202f234,5;2\n2\u00a0345,5;3\n", "csv", ["x.csv:2: column 'a'", "thousands"]),
    ("thousands in Switzerland", "a;b\n1'234.50;2\n2'345.50;3\n", "csv", ["x.csv:2: column 'a': '1'234.50' has thousands"]),
    ("millions", "a;b\n1.234.567;2\n2.345.678;3\n", "csv", ["x.csv:2: column 'a': '1.234.567' has thousands"]),
    ("thousands or decimals", "a;b\n1,234;5,678\n2,345;6,789\n", "csv", ["'1,234'", "--decimal ,", "thousands"]),
    ("thousands or decimals in quotes", "a,b\n\"1,234\",\"5,678\"\n", "csv", ["'5,678'", "--decimal ,", "thousands"]),
    ("one column or two", "Wert\n1,5\n2,5\n", "csv", ["x.csv:2: is '1,5'", "--decimal ,", "--sep ,"]),
    ("blanks or a comma", "A 1,5\nB 2,5\n", "txt", ["x.txt:2:", "'B 2' and '5'", "'B' and '2,5'", "--sep"]),
    ("two separators at once", "1;2\t3\n5;6\t7\n", "csv", ["x.csv:2:", "--sep", "'5' and '6?7'", "'5;6' and '7'"]),
    ("both decimals", "a;b\n1,5;2\n2.5;3\n3,5;4\n", "csv", ["x.csv:3: column 'a': '2.5' has a decimal point", "--decimal"]),
    ("NUL bytes", "a,b\n1,2\n".encode("utf-16-le"), "csv", ["NUL", "UTF-16", "save it as UTF-8"]),
    ("half a character", codecs.BOM_UTF16_LE + b"a\0,\0b", "csv", ["UTF-16", "middle of a character"]),
]


class Dialects(Case):
    def table(self, path, *words):
        """Row names and numbers of a file."""
        self.pith("convert", path, "out.csv", "--no-labels", "-q", *words)
        rows = list(csv.reader(io.StringIO(self.read("out.csv"))))
        names = [r[0] for r in rows[1:]] if rows[0][0] == "" else None
        try:
            float(rows[0][-1])
            header = any(cell.startswith("\"") for cell in self.read("out.csv").split("\n")[0].split(","))
        except ValueError:
            header = True
        rows = rows[header:]
        return names, [[float(v) for v in r[names is not None:]] for r in rows]

    def test_each_is_read_with_the_numbers_that_were_written(self):
        self.assertGreaterEqual(len(DIALECTS), 40)
        for name, content, ending, rows, names in DIALECTS:
            with self.subTest(name):
                self.assertEqual(self.table(self.write(f"x.{ending}", content)), (names, rows))

    def test_what_is_doubtful_is_refused_with_the_readings(self):
        for name, content, ending, parts in DOUBTS:
            with self.subTest(name):
                message = self.refused(3, "info", self.write(f"x.{ending}", content))
                for part in parts:
                    self.assertIn(part, message)

    def test_the_user_settles_it(self):
        one = self.write("one.csv", "Wert\n1,5\n2,5\n")
        self.assertEqual(self.table(one, "--decimal", ","), (None, [[1.5], [2.5]]))
        self.assertEqual(self.table(one, "--sep", ","), (["1", "2"], [[5], [5]]))
        three = self.write("three.csv", "a;b\n1,234;5,678\n2,345;6,789\n")
        self.assertEqual(self.table(three, "--decimal", ","), (None, [[1.234, 5.678], [2.345, 6.789]]))
        self.assertIn("decimal comma", self.refused(3, "info", three, "--decimal", "."))
        words = self.write("words.txt", "A 1,5\nB 2,5\n")
        self.assertEqual(self.table(words, "--sep", "blank"), (["A", "B"], [[1.5], [2.5]]))
        self.assertEqual(self.table(words, "--sep", ","), (["A 1", "B 2"], [[5], [5]]))
        odd = self.write("odd.csv", "a:b\n1,5:2\n2,5:3\n")
        self.assertEqual(self.table(odd, "--sep", ":"), (None, [[1.5, 2], [2.5, 3]]))
        tabs = self.write("tabs.csv", "a\tb\n1\t2\n3\t4\n")
        for word in ("tab", "\\t", "\t"):
            self.assertEqual(self.table(tabs, "--sep", word), (None, [[1, 2], [3, 4]]))

    def test_wrong_words_are_refused(self):
        path = self.write("a.csv", "a,b\n1,2\n")
        self.assertIn("'tab'", self.refused(2, "info", path, "--sep", "::"))
        self.assertIn("'a'", self.refused(2, "info", path, "--sep", "a"))
        self.assertIn("., ,", self.refused(2, "info", path, "--decimal", ";"))
        self.assertIn("yes, no", self.refused(2, "info", path, "--header", "maybe"))
        self.pith("convert", path, "a.npy", "-q")
        self.assertIn(".csv", self.refused(2, "info", "a.npy", "--header", "no"))

    def test_a_number_in_another_notation_is_not_missing(self):
        path = self.write("late.csv", "a;b\n" + "1;2\n" * 200 + "1,5;2\n")
        for words in ((), ("--missing", "zero")):
            self.assertIn("late.csv:202: column 'a': '1,5' has a decimal comma", self.refused(3, "rank", path, *words))

    def test_header_and_row_names_are_as_the_user_says(self):
        path = self.write("n.csv", "5,6\n1,2\n3,4\n")
        self.assertEqual(self.table(path), (None, [[5, 6], [1, 2], [3, 4]]))
        self.assertEqual(self.table(path, "--header", "yes"), (None, [[1, 2], [3, 4]]))
        self.assertEqual(self.table(path, "--row-names", "yes"), (["5", "1", "3"], [[6], [2], [4]]))
        path = self.write("p.csv", "0,1,2\n5,3,1\n4,9,1\n")
        self.assertEqual(self.table(path, "--header", "no"), (None, [[0, 1, 2], [5, 3, 1], [4, 9, 1]]))
        path = self.write("count.csv", "0,1,2\n3,4,5\n6,7,8\n")
        self.assertEqual(self.table(path), (None, [[0, 1, 2], [3, 4, 5], [6, 7, 8]]))
        path = self.write("r.csv", ",a\n1,2\n3,4\n")
        self.assertEqual(self.table(path, "--row-names", "no"), (None, [[1, 2], [3, 4]]))
        path = self.write("t.csv", "a,b\nx,1\ny,2\n")
        self.assertIn("holds text", self.refused(3, "rank", path, "--row-names", "no"))
        self.write("bare.csv", "1,2,a\n3,5,b\n4,7,a\n")
        self.assertIn("column 3 holds text ('a'), not numbers; leave it out, or name it with --labels f2 if it holds the classes",
                      self.refused(3, "rank", "bare.csv"))


if __name__ == "__main__":
    unittest.main()
