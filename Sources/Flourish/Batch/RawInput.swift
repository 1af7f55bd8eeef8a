import MediaIO
import Platform

/// The address of a recording for sessions, which accept only UTF-8.
///
/// If the name is not UTF-8, the object keeps the recording open, and the address is that of its descriptor in `/proc`.
final class RawInput: Sendable {
    /// The recording's path, or that of its descriptor in `/proc`.
    let address: String
    /// The recording's name in messages.
    let name: String
    private let descriptor: Int32?

    init(_ path: BatchPath) throws(RawFileError) {
        name = path.description
        if let text = path.text {
            (address, descriptor) = (MediaAddress(text).filePath == text ? text : "./" + text, nil)
        } else {
            let open = try RawFile.open(path.bytes, O_RDONLY)
            (address, descriptor) = ("/proc/self/fd/\(open)", open)
        }
    }

    deinit { if let descriptor { close(descriptor) } }

    /// Returns a message with the recording's name in place of its address.
    func named(_ message: String) -> String {
        address == name ? message : message.replacing(address, with: name)
    }
}
