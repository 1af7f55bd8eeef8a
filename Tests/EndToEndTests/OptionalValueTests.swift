import Testing
import TestSupport

/// Values of `--control` and `--panel`. A run without an input shows them by its error: a socket that cannot be
/// created, or, after that, the input.
@Suite("Options with an optional value")
struct OptionalValueTests {
    private static let io = ["none.mp4", "out.mkv"]

    private func message(_ arguments: [String]) async throws -> String {
        try await Workbench.with { bench in
            let result = try await bench.flourish(
                arguments, environment: ["FLOURISH_CONTROL": "nowhere/usual.sock"])
            #expect(result.exitCode != 0 && bench.files.allSatisfy { $0 == "e.jsonl" })
            return result.standardError
        }
    }

    /// Arguments that may follow an option without a value: nothing, other options, the end of options.
    @Test(arguments: [
        io + ["--control"], io + ["--control", "--stats"], io + ["--control", "--events", "e.jsonl"],
        io + ["--control", "--hold=2"], io + ["--control", "-q"], io + ["--control="], ["--control", "--"] + io,
        ["detect", "none.mp4", "--control"], io + ["--control-socket"],
    ])
    func theDefaultSocketIsUsed(_ arguments: [String]) async throws {
        let said = try await message(arguments)
        #expect(said.contains("nowhere/usual.sock"), "\(said)")
    }

    @Test(arguments: [
        io + ["--control", "nowhere/d.sock"], io + ["--control", "nowhere/d.sock", "--stats"],
        io + ["--control=nowhere/d.sock", "-q"], ["--control=nowhere/d.sock"] + io,
        ["--control", "nowhere/d.sock"] + io, ["none.mp4", "--control", "nowhere/d.sock", "out.mkv"],
        io + ["--control-socket", "nowhere/d.sock", "-q"], ["detect", "--control", "nowhere/d.sock", "none.mp4"],
        io + ["--panel", "--control", "nowhere/d.sock"], io + ["--control", "nowhere/d.sock", "--panel", "127.0.0.2"],
    ])
    func aSocketIsNamed(_ arguments: [String]) async throws {
        let said = try await message(arguments)
        #expect(said.contains("nowhere/d.sock") && !said.contains("usual"), "\(said)")
    }

    @Test(arguments: [
        io + ["--panel"], io + ["--panel", "--stats"], io + ["--panel", "--events", "e.jsonl"], io + ["--panel="],
        ["--panel", "--hold=2"] + io, ["detect", "none.mp4", "--panel"],
    ])
    func thePanelHasItsDefaultAddress(_ arguments: [String]) async throws {
        let said = try await message(arguments)
        #expect(said.hasPrefix("flourish: panel: http://127.0.0.1:"), "\(said)")
    }

    @Test(arguments: [
        io + ["--panel", "127.0.0.2"], io + ["--panel=127.0.0.2", "--events", "e.jsonl"], ["--panel=127.0.0.2"] + io,
        ["--panel", "127.0.0.2"] + io, io + ["--panel-address", "127.0.0.2", "--stats"],
        ["none.mp4", "--panel", "127.0.0.2", "out.mkv"], ["detect", "none.mp4", "--panel", "127.0.0.2"],
    ])
    func thePanelHasAnAddress(_ arguments: [String]) async throws {
        let said = try await message(arguments)
        #expect(said.hasPrefix("flourish: panel: http://127.0.0.2:"), "\(said)")
    }

    @Test(arguments: [
        (["--panel"] + io, "'none.mp4' is the value of --panel here"),
        (["none.mp4", "--control", "out.mkv"], "'out.mkv' is the value of --control here"),
        (["detect", "--control", "none.mp4"], "write --control=VALUE"),
        (["--control", "-", "out.mkv"], "'-' is the value of --control here"),
        (
            ["control", "perform", "--control", "a"],
            "missing expected argument '<type>'; see flourish control perform --help"
        ),
        (io + ["--panel", "somewhere"], "somewhere: the panel's address must be"),
        (io + ["--panel=somewhere"], "somewhere: the panel's address must be"),
    ])
    func aFileTakenAsAValueIsNamed(_ arguments: [String], _ words: String) async throws {
        let said = try await message(arguments)
        #expect(said.contains(words), "\(said)")
    }
}
