/* In place of h5ad_write.c where PITH_HDF5 is off. Reading is refused where pith-hdf5 would be started. */
#include "io/io.h"

pith_status pith_i_h5ad_write(pith_ctx *ctx, const pith_matrix *m, pith_i_file *file)
{
    (void)m;
    return pith_i_error(ctx, PITH_E_FILE, "%s: this build of pith has no HDF5",
                        file->name != NULL ? file->name : ".h5ad");
}
