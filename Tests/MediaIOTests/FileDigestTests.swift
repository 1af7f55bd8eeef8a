import Foundation
import TestSupport
import Testing

@testable import MediaIO

@Suite struct FileDigestTests {
    /// The examples of FIPS 180-2, appendix B, and of bytes that are read in several parts.
    @Test(arguments: [
        ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
    func sha256(_ text: String, times: Int, sum: String) throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "file")
            try Data(String(repeating: text, count: times).utf8).write(to: file)
            #expect(FileDigest.sha256(of: file.path) == sum)
        }
    }

    @Test func unreadableFilesHaveNoDigest() {
        #expect(FileDigest.sha256(of: "/nowhere/file") == nil)
        #expect(FileDigest.sha256(of: "/tmp") == nil)
    }
}
