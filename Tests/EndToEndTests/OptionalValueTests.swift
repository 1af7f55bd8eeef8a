import Testing
import TestSupport

/// What `--control` and `--panel` take for their value shows where the run, which has no input, fails: at a socket that
/// cannot be made, or, beyond that, at the input.
@Suite("Options whose value may be left out")
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

    /// What may follow an option: nothing, another option, one with a value, one of a letter, a value after a sign, the
    /// standard input, the end of options, files.
    @Test(arguments: [
        io + ["--control"], io + ["--control", "--stats"], io + ["--control", "--events", "e.jsonl"],
        io + ["--control", "--hold=2"], io + ["--control", "-q"], io + ["--control="], ["--control"] + io,
        ["filter", "--control"] + io, ["none.mp4", "--control", "out.mkv"], ["--control", "-", "out.mkv"],
        ["--control", "--"] + io, ["detect", "--control", "none.mp4"], ["detect", "none.mp4", "--control"],
    ])
    func theUsualSocketIsMeant(_ arguments: [String]) async throws {
        let said = try await message(arguments)
        #expect(said.contains("nowhere/usual.sock"), "\(said)")
    }

    @Test(arguments: [
        io + ["--control", "nowhere/d.sock"], io + ["--control", "nowhere/d.sock", "--stats"],
        io + ["--control=nowhere/d.sock", "--stats"], io + ["--control=nowhere/d.sock", "-q"],
        io + ["--control=nowhere/d.sock", "--events", "e.jsonl"], ["--control=nowhere/d.sock"] + io,
        ["--control", "nowhere/d.sock"] + io, ["none.mp4", "--control", "nowhere/d.sock", "out.mkv"],
        io + ["--control-socket", "nowhere/d.sock", "-q"], ["--control-socket=nowhere/d.sock", "--"] + io,
        ["detect", "none.mp4", "--control", "nowhere/d.sock"], ["detect", "--control", "nowhere/d.sock", "none.mp4"],
        io + ["--panel", "--control", "nowhere/d.sock"], io + ["--control", "nowhere/d.sock", "--panel"],
        io + ["--control", "nowhere/d.sock", "--panel", "127.0.0.2"],
    ])
    func aSocketIsNamed(_ arguments: [String]) async throws {
        let said = try await message(arguments)
        #expect(said.contains("nowhere/d.sock") && !said.contains("usual"), "\(said)")
    }

    @Test(arguments: [
        io + ["--panel"], io + ["--panel", "--stats"], io + ["--panel", "--events", "e.jsonl"],
        io + ["--panel", "--hold=2"], io + ["--panel="], ["--panel"] + io, ["none.mp4", "--panel", "out.mkv"],
        ["--panel", "-", "none/out.mkv"], ["detect", "--panel", "none.mp4"],
    ])
    func thePanelIsWhereItUsuallyIs(_ arguments: [String]) async throws {
        let said = try await message(arguments)
        #expect(said.hasPrefix("flourish: the panel is at http://127.0.0.1:"), "\(said)")
    }

    @Test(arguments: [
        io + ["--panel", "127.0.0.2"], io + ["--panel=127.0.0.2", "--events", "e.jsonl"],
        io + ["--panel=127.0.0.2", "--stats"], io + ["--panel", "127.0.0.2", "--stats"], ["--panel=127.0.0.2"] + io,
        ["--panel", "127.0.0.2"] + io, io + ["--panel-address", "127.0.0.2", "--stats"],
        ["none.mp4", "--panel", "127.0.0.2", "out.mkv"], ["detect", "none.mp4", "--panel", "127.0.0.2"],
    ])
    func thePanelHasAnAddress(_ arguments: [String]) async throws {
        let said = try await message(arguments)
        #expect(said.hasPrefix("flourish: the panel is at http://127.0.0.2:"), "\(said)")
    }

    /// Either of the two names may be the value, and the other one the input.
    @Test func whatCannotBeToldApartIsRefused() async throws {
        let said = try await message(["detect", "--control", "a", "--panel", "127.0.0.2"])
        #expect(said.contains("--control-socket a"), "\(said)")
        let plain = try await message(["none.mp4", "out.mkv", "--panel", "somewhere"])
        #expect(plain.contains("unexpected argument 'somewhere'"), "\(plain)")
    }
}
