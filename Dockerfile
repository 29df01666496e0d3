# A small image with the command pith: built in one stage, installed into another that has the libraries alone.
#
#     docker build -t pith .
#     docker run --rm -v "$PWD:/data" pith select cells.h5ad -n 500 -o small.h5ad
#
# The steps are those that `sudo tools/check-chroot.sh install` tries in a bare Debian.
FROM debian:bookworm-slim AS build
RUN apt-get update -q && apt-get install -q -y --no-install-recommends make
COPY . /usr/src/pith
WORKDIR /usr/src/pith
RUN make install PREFIX=/opt/pith && strip /opt/pith/bin/pith /opt/pith/lib/pith/pith-hdf5 /opt/pith/lib/libpith.so.*.*.* \
    && rm -rf /opt/pith/include /opt/pith/lib/libpith.a /opt/pith/lib/cmake /opt/pith/lib/pkgconfig

FROM debian:bookworm-slim
# What libpith and pith-hdf5 are linked with. wordnet-base is for `pith tree wordnet`.
RUN apt-get update -q && apt-get install -q -y --no-install-recommends libopenblas0-pthread libarpack2 libgomp1 libhdf5-103-1 libzip4 \
        libjansson4 libutf8proc2 libstemmer0d zlib1g libzstd1 liblzf1 wordnet-base \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/pith /usr/local
WORKDIR /data
ENTRYPOINT ["pith"]
CMD ["--help"]
