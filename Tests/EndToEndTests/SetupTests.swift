import Foundation
import Testing
import TestSupport

/// `Scripts/setup` on this machine, which says that it is another system.
@Suite("Setting up")
struct SetupTests {
    private func setUp(on system: String, insisting: Bool = false) async throws -> ProgramResult {
        try await Workbench.with { bench in
            try bench.write(system, as: "os-release")
            return try await Program(executable: Repository.root.appending(path: "Scripts/setup")).run(
                [],
                environment: [
                    "FLOURISH_OS_RELEASE": bench.file("os-release").path,
                    "FLOURISH_ANY_SYSTEM": insisting ? "1" : nil,
                ], in: bench.folder)
        }
    }

    @Test(
        arguments: [
            "ID=debian\nVERSION_ID=\"12\"", "ID=debian\nVERSION_ID=\"13\"", "ID=debian\nPRETTY_NAME=\"Debian sid\"",
            "ID=ubuntu\nVERSION_ID=\"24.04\"", "ID=ubuntu\nVERSION_ID=\"26.04\"", "ID=fedora\nVERSION_ID=44",
        ])
    func acceptsSystemsWithAKnownFFmpeg(system: String) async throws {
        let result = try await setUp(on: system)
        #expect(result.exitCode == 0, "\(result.standardError)")
    }

    @Test(
        arguments: [
            ("ID=debian\nVERSION_ID=\"11\"", "container"), ("ID=ubuntu\nVERSION_ID=\"22.04\"", "container"),
            ("ID=alpine\nVERSION_ID=3.22", "musl"), ("ID=arch", "freetype2"),
            ("ID=opensuse-leap\nPRETTY_NAME=\"openSUSE Leap 16\"", "openSUSE Leap 16"),
        ])
    func refusesOthersAndStatesWhatIsKnown(system: String, words: String) async throws {
        let refused = try await setUp(on: system)
        #expect(refused.exitCode == 1)
        #expect(refused.standardError.contains(words) && refused.standardError.contains("FLOURISH_ANY_SYSTEM"))
        #expect(try await setUp(on: system, insisting: true).exitCode == 0)
    }
}
