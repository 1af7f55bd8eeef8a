#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Writing to an open file descriptor, past every buffer.
package enum DescriptorOutput {
    /// Writes all bytes, however many calls that takes.
    ///
    /// - Returns: 0, or the error number of the write that failed.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                    unsafe Darwin.write(descriptor, buffer.baseAddress, buffer.count)
                #else
                    unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                #endif
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}
