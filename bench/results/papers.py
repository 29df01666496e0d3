"""What the papers state, for the tables that stand beside ours. Best over grids, chosen with the labels."""

# HUFS (Wang et al.), Tables 2 and 3: ACC in %, NMI, each the best of 50..300 features. The names are ours.
HUFS_SETS = {"BBCSport": "BBCSport", "Guardian": "Guardian", "COIL20": "COIL20", "Yale": "Yale", "warpPIE": "warpPIE10P"}
HUFS_METHODS = ("laplacian", "mcfs", "ndfs", "rufs", "eufs", "hufs")
HUFS_ACC = {
    "BBCSport": (73.4, 75.7, 77.0, 76.2, 75.9, 79.2),
    "Guardian": (50.0, 51.1, 51.2, 53.0, 51.1, 53.9),
    "COIL20": (56.2, 60.4, 59.3, 62.02, 61.9, 63.9),
    "Yale": (43.9, 42.9, 42.5, 41.5, 42.0, 44.5),
    "warpPIE": (33.8, 38.5, 37.4, 39.9, 41.3, 42.5),
}
HUFS_NMI = {
    "BBCSport": (0.627, 0.655, 0.643, 0.652, 0.628, 0.660),
    "Guardian": (0.369, 0.371, 0.393, 0.413, 0.385, 0.425),
    "COIL20": (0.708, 0.737, 0.727, 0.746, 0.748, 0.767),
    "Yale": (0.518, 0.515, 0.501, 0.503, 0.508, 0.522),
    "warpPIE": (0.364, 0.457, 0.438, 0.442, 0.447, 0.467),
}

# SNFS (Wei et al.), supplement, Table 2: NMI at so many features; median/best where two are given.
SNFS_COUNTS = (100, 200, 400, 600)
SNFS_NMI = {
    "BBCSport": {
        "all-features": (0.5190,),
        "laplacian": (0.1029, 0.1509, 0.2745, 0.4820),
        "mcfs": (0.4410, 0.5506, 0.5685, 0.5549),
        "udfs": ((0.2440, 0.2741), (0.2563, 0.3967), (0.3767, 0.5169), (0.3919, 0.4706)),
        "rufs": ((0.4182, 0.6457), (0.5384, 0.6648), (0.5952, 0.6383), (0.5739, 0.6162)),
        "rsfs": ((0.4705, 0.5511), (0.5290, 0.6128), (0.5324, 0.5701), (0.5127, 0.5617)),
        "snfs": (0.3988, 0.5046, 0.6743, 0.5941),
    },
    "Guardian": {
        "all-features": (0.3711,),
        "laplacian": (0.0790, 0.2007, 0.4967, 0.5139),
        "mcfs": (0.3473, 0.3145, 0.3751, 0.3591),
        "udfs": ((0.1414, 0.3109), (0.2574, 0.3778), (0.3358, 0.3686), (0.3387, 0.3759)),
        "rufs": ((0.2619, 0.3944), (0.3767, 0.4096), (0.3952, 0.4295), (0.4080, 0.4318)),
        "rsfs": ((0.3649, 0.3996), (0.3715, 0.4307), (0.3912, 0.4225), (0.3971, 0.4314)),
        "snfs": (0.3155, 0.4432, 0.4996, 0.4699),
    },
    "TDT2": {
        "all-features": (0.8272,),
        "laplacian": (0.6727, 0.7613, 0.8223, 0.8261),
        "mcfs": (0.6026, 0.6659, 0.7266, 0.7452),
        "udfs": ((0.4182, 0.6457), (0.5384, 0.6648), (0.5952, 0.6383), (0.5739, 0.6162)),
        "rufs": ((0.3842, 0.6647), (0.4937, 0.8115), (0.6373, 0.8225), (0.7458, 0.8473)),
        "rsfs": ((0.6524, 0.7998), (0.7750, 0.8469), (0.8178, 0.8578), (0.8368, 0.8580)),
        "snfs": (0.7389, 0.8266, 0.8319, 0.8422),
    },
}

# NRFS (Table I): NMI on the normal samples of the synthetic data, features chosen from all samples and from the normal ones.
NRFS_KMEANS = (0.1571, 0.2665)
NRFS_SYNTHETIC = {"spec": (0.0017, 0.0032), "laplacian": (0.0069, 0.0071), "mcfs": (0.0032, 0.0094), "ndfs": (0.3147, 0.5004),
                  "nrfs": (1.0, 1.0)}
