#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Reads a whole file into memory aligned for LiteRT; the caller deallocates it.
@unsafe
func readFile(_ path: String) throws(InferenceError) -> UnsafeMutableRawBufferPointer {
    guard let file = unsafe fopen(path, "rb") else {
        throw InferenceError(.modelMissing, path: path, detail: unsafe String(cString: strerror(errno)))
    }
    defer { unsafe fclose(file) }
    var status = stat()
    guard unsafe fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw InferenceError(.modelMissing, path: path, detail: "not a file")
    }
    let size = Int(status.st_size)
    guard size > 0 else { throw InferenceError(.modelDamaged, path: path, detail: "empty") }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
    guard unsafe fread(bytes.baseAddress, 1, size, file) == size else {
        unsafe bytes.deallocate()
        throw InferenceError(.modelMissing, path: path, detail: "cannot be read to its end")
    }
    return unsafe bytes
}
