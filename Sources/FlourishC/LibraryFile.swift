internal import CFlourish
import Flourish
import Platform

/// The file that contains this code.
enum LibraryFile {
    /// The path of the shared library, with symbolic links resolved; of the program if the code is linked into one.
    static let path: String? = {
        guard let name = unsafe cflourish_file(), let resolved = unsafe realpath(name, nil) else {
            return Resources.executablePath()
        }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }()
}
