internal import CZlib

/// Checksums and decompression for zip archives and PNG files.
package enum Zlib {
    /// Returns the checksum CRC-32 (ISO 3309).
    package static func checksum(of bytes: [UInt8]) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { unsafe UInt32(crc32_z(0, $0.baseAddress, $0.count)) }
    }

    /// Returns the contents of DEFLATE data (RFC 1951), or their first `limit` + 1 bytes if there are more than `limit`;
    /// `nil` if the data are damaged.
    package static func inflated(_ data: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
        guard let length = UInt32(exactly: data.count), let capacity = UInt32(exactly: limit + 1) else { return nil }
        var isDamaged = false
        let content = unsafe [UInt8](unsafeUninitializedCapacity: Int(capacity)) { output, count in
            let written = unsafe data.withUnsafeBufferPointer {
                unsafe czlib_inflate($0.baseAddress, length, output.baseAddress, capacity)
            }
            isDamaged = written < 0
            count = max(0, written)
        }
        return isDamaged ? nil : content
    }
}
