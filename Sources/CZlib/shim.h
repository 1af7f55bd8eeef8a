// zlib as Swift sees it: whole buffers instead of a stream.
#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

// Decompresses DEFLATE data (RFC 1951). Returns the number of bytes, which is `capacity` if there may be more of them;
// -1 for damaged data and without memory.
static inline long czlib_inflate(
    const unsigned char *data, unsigned length, unsigned char *output, unsigned capacity) {
    z_stream stream = {0};
    stream.next_in = (unsigned char *)data;
    stream.avail_in = length;
    stream.next_out = output;
    stream.avail_out = capacity;
    // Negative: without the header and the checksum of zlib's own format.
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return -1;
    const int status = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    const int is_full = status == Z_BUF_ERROR && stream.avail_out == 0;
    return status == Z_STREAM_END || is_full ? (long)(capacity - stream.avail_out) : -1;
}

#endif
