import MediaIO
import Platform

/// A recording's address as sessions take it, which is UTF-8, whatever its name is.
///
/// What has another name is held open, and the system's name of the open file leads to it.
final class RawInput: Sendable {
    let address: String
    /// As people call it.
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

    /// A message in which the recording has its own name.
    func named(_ message: String) -> String {
        address == name ? message : message.replacing(address, with: name)
    }
}
