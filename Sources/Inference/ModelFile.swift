import Platform

/// Maps a whole file; what is written there stays in memory, and the caller unmaps it with ``unmapFile(_:)``.
///
/// `mmap`; its pages are aligned for LiteRT, and come and go as they are used.
@unsafe
func mapFile(_ path: String) throws(InferenceError) -> UnsafeMutableRawBufferPointer {
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
    let start = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
        throw InferenceError(.modelMissing, path: path, detail: unsafe String(cString: strerror(errno)))
    }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: size)
}

/// Gives back the memory that a mapped file takes; what is read again comes from the file.
///
/// `madvise` with `MADV_DONTNEED`
@unsafe
func releasePages(of file: UnsafeMutableRawBufferPointer) {
    unsafe madvise(file.baseAddress, file.count, MADV_DONTNEED)
}

/// Ends what ``mapFile(_:)`` began.
@unsafe
func unmapFile(_ file: UnsafeMutableRawBufferPointer) {
    unsafe munmap(file.baseAddress, file.count)
}
