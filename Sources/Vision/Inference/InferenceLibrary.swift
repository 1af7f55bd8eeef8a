internal import CLiteRT
import Platform
import Synchronization

/// The LiteRT library, opened at run time.
///
/// The library stays open until the program ends. Any number of models on any number of threads may share it.
@safe
package struct InferenceLibrary: @unchecked Sendable {
    /// The required version. Other versions have different functions.
    package static let version = "2.3.0"

    package let path: String
    /// A pointer to the table of LiteRT's functions, which is written once and never freed.
    let handle: OpaquePointer

    /// The libraries that were opened, by their paths.
    private static let opened = Mutex<[String: InferenceLibrary]>([:])

    /// Opens the library, once for each path.
    /// - Throws: `.libraryMissing`, `.libraryDamaged`, or `.libraryVersion` if a function is missing.
    package init(path: String) throws(InferenceError) {
        self = try Self.opened.withLock { opened throws(InferenceError) in
            if let known = opened[path] { return known }
            let library = try InferenceLibrary(opening: path)
            opened[path] = library
            return library
        }
    }

    private init(opening path: String) throws(InferenceError) {
        if Self.isCutOff(path) {
            throw InferenceError(.libraryDamaged, path: path, detail: "the file is truncated")
        }
        var handle: OpaquePointer?
        var missing: UnsafePointer<CChar>?
        let status = unsafe clitert_open(path, &handle, &missing)
        guard status == CLITERT_OK, let opened = unsafe handle else {
            guard status == CLITERT_NO_SYMBOL else { throw InferenceError(.libraryMissing, path: path) }
            let name = unsafe missing.map { unsafe String(cString: $0) } ?? "a function"
            throw InferenceError(.libraryVersion, path: path, detail: "\(name) is missing")
        }
        self.path = path
        unsafe self.handle = opened
    }
}

extension InferenceLibrary {
    /// Returns whether an ELF file ends before one of its segments. The system maps such a file without an error, and
    /// the process crashes when it accesses the missing part.
    ///
    /// - Returns: `false` for files that are not ELF of 64 bits in this machine's byte order.
    private static func isCutOff(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0 else { return false }
        let size = UInt64(max(0, info.st_size))
        func read(_ count: Int, at offset: UInt64) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            guard offset <= UInt64(Int64.max) else { return nil }
            return unsafe pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
        }
        guard let magic = read(6, at: 0), magic == [0x7F, 0x45, 0x4C, 0x46, 2, 1] else { return false }
        // From here on the file is known to be ELF. A header that cannot be read has been cut off (System V ABI,
        // chapters 4 and 5).
        guard let header = read(64, at: 0) else { return true }
        let segments = number(header, at: 0x20, bytes: 8), each = number(header, at: 0x36, bytes: 2)
        let count = number(header, at: 0x38, bytes: 2)
        guard each >= 56, segments <= size else { return true }
        for index in 0..<count {
            guard let segment = read(56, at: segments + index * each) else { return true }
            let (end, overflows) = number(segment, at: 8, bytes: 8)
                .addingReportingOverflow(number(segment, at: 32, bytes: 8))
            if overflows || end > size { return true }
        }
        return false
    }

    private static func number(_ bytes: [UInt8], at offset: Int, bytes count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }
}

/// The reason why a model cannot be run. Its description is one line for the user.
package struct InferenceError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// There is no LiteRT library at the path, or it cannot be opened.
        case libraryMissing
        /// The library lacks a function because it does not have the required version.
        case libraryVersion
        /// The library is truncated.
        case libraryDamaged
        /// There is no readable model file at the path.
        case modelMissing
        /// The file is not a model, is damaged, or is not the requested model.
        case modelDamaged
        /// LiteRT refused to prepare or to run a valid model.
        case failed
    }

    package let code: Code
    /// The file with the fault.
    package let path: String
    /// Details, for example the name of the missing function.
    package let detail: String?

    package init(_ code: Code, path: String, detail: String? = nil) {
        self.code = code
        self.path = path
        self.detail = detail
    }

    package var description: String {
        let fault =
            switch code {
            case .libraryMissing: "cannot open the LiteRT library \(path)"
            case .libraryDamaged: "the LiteRT library \(path) is damaged or not the expected file"
            case .libraryVersion: "the LiteRT library \(path) is not version \(InferenceLibrary.version)"
            case .modelMissing: "cannot read the model \(path)"
            case .modelDamaged: "the model \(path) is damaged or not the expected file"
            case .failed: "the model \(path) could not be run"
            }
        let reason = detail.map { " (\($0))" } ?? ""
        let remedy = code == .failed ? "see `flourish doctor`" : "run `Scripts/setup`, or see `flourish doctor`"
        return "\(fault)\(reason); \(remedy)"
    }
}
