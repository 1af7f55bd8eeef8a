package import Flourish
import Platform

/// The token in a page's address: 128 random bits in hexadecimal.
package struct PanelToken: Sendable, Hashable {
    let text: String

    /// The number of digits.
    private static let length = 32

    /// Creates a random token.
    init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<Self.length / 2).map { _ in
            let byte = String(UInt8.random(in: 0...255, using: &generator), radix: 16)
            return byte.count == 1 ? "0" + byte : byte
        }.joined()
    }

    /// Reads a token from a file, so that the page's address is the same in each run. Creates the file with a random
    /// token if there is none.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the file cannot be read or created,
    ///   ``FlourishError/Code/inputUnusable`` if it contains no token, or other users may access it.
    package init(file path: String) throws(FlourishError) {
        let descriptor = unsafe Platform.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT {
            self = try Self.create(path)
            return
        }
        guard descriptor >= 0 else { throw Self.failure(path, systemMessage(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Self.failure(path, "not a file")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw FlourishError(
                .inputUnusable, "\(path): other users may read the panel's token; run chmod 600 on it")
        }
        let bytes = DescriptorInput.readAll(descriptor, limit: 2 * Self.length) ?? []
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isNewline }
        guard text.utf8.count == Self.length, text.allSatisfy({ $0.isASCII && $0.isHexDigit && !$0.isUppercase }) else {
            throw FlourishError(
                .inputUnusable,
                "\(path): not the token of a panel, \(Self.length) hexadecimal digits; delete it to create a new one"
            )
        }
        self.text = text
    }

    private static func create(_ path: String) throws(FlourishError) -> PanelToken {
        let token = PanelToken()
        let folder = String(TemporaryFile.folder(of: path))
        if !folder.isEmpty {
            do throws(RawFileError) { try RawFile.makeFolder(Array(folder.utf8)) } catch {
                throw failure(path, error.message)
            }
        }
        let descriptor = unsafe Platform.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, systemMessage(errno)) }
        defer { close(descriptor) }
        let error = DescriptorOutput.write(Array((token.text + "\n").utf8), to: descriptor)
        guard error == 0 else {
            // A file without a token would prevent every later run.
            _ = unsafe unlink(path)
            throw failure(path, systemMessage(error))
        }
        return token
    }

    private static func failure(_ path: String, _ reason: String) -> FlourishError {
        FlourishError(
            .outputUnavailable,
            "\(path): the panel's token cannot be kept here (\(reason)); choose another --panel-token")
    }
}
