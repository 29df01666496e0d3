"""Features of an AnnData object."""
from typing import Optional, Union

import numpy as np

from ._functions import rank
from ._selector import check_count, count_of


def select_genes(adata, method: str = "auto", *, n_top_genes: Union[int, float, str] = "auto", layer: Optional[str] = None,
                 labels: Optional[str] = None, subset: bool = False, inplace: bool = True, random_state=1,
                 threads: Optional[int] = None, verbose: int = 0, **parameters):
    """Selects genes of an AnnData object, and writes them where scanpy's functions look for them.

    n_top_genes : a number, a share or "auto", as n_features of `Selector`
    layer : the layer to look at; None: adata.X
    labels : a column of adata.obs, for supervised methods only
    subset : keep the selected genes only
    inplace : False returns the frame instead of writing it into adata

    Writes adata.var["highly_variable"] (selected or not), ["highly_variable_rank"] (from 0, NaN where not
    selected), ["pith_score"], and adata.uns["hvg"] and ["pith"], which tell how.
    """
    import pandas as pd
    check_count(n_top_genes)
    X = adata.X if layer is None else adata.layers[layer]
    y = None if labels is None else adata.obs[labels].to_numpy()
    result = rank(X, method, y=y, feature_names=adata.var_names, random_state=random_state, threads=threads,
                  verbose=verbose, **parameters)
    chosen = result.ranking[:count_of(n_top_genes, len(result.ranking), result.keep)]
    frame = pd.DataFrame({"highly_variable": False, "highly_variable_rank": np.nan, "pith_score": result.scores},
                         index=adata.var_names)
    frame.iloc[chosen, 0] = True
    frame.iloc[chosen, 1] = np.arange(len(chosen), dtype=float)
    if not inplace:
        return frame[frame["highly_variable"]] if subset else frame
    for column in frame:
        adata.var[column] = frame[column].to_numpy()
    adata.uns["hvg"] = {"flavor": f"pith {result.method}"}
    # What .h5ad can hold: no None.
    adata.uns["pith"] = {"method": result.method, "seed": result.seed,
                         "parameters": {k: v for k, v in result.parameters.items() if v is not None}}
    if subset:
        adata._inplace_subset_var(frame["highly_variable"].to_numpy())
    return None
