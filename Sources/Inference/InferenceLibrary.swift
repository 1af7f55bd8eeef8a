internal import CLiteRT

/// The LiteRT library, opened at run time.
///
/// It stays open until the program ends, so one may be shared by any number of
/// models on any number of threads.
@safe
package struct InferenceLibrary: @unchecked Sendable {
    /// The version that this program is written for; its functions are another one's nowhere else.
    package static let version = "2.3.0"

    package let path: String
    /// Points to a table that is written once and never freed.
    let handle: OpaquePointer

    /// Opens the library.
    /// - Throws: `.libraryMissing`, `.libraryDamaged`, or `.libraryVersion` when a function is not there.
    package init(path: String) throws(InferenceError) {
        if SharedObject.isCutOff(path) {
            throw InferenceError(.libraryDamaged, path: path, detail: "the file is cut off")
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
