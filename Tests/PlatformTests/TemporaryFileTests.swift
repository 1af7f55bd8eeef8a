import Platform
import Testing

@Suite("Temporary files")
struct TemporaryFileTests {
    /// A rename onto such a name would replace `/dev/stdout` where it is no link.
    @Test(arguments: ["/dev/fd/1000", "/proc/self/fd/1000"])
    func namesOfClosedDescriptorsAreNotReplaced(_ path: String) {
        #expect(throws: FileError.self) { try TemporaryFile.reserve(for: path) }
    }
}
