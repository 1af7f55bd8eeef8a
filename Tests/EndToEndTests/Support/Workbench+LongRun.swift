import Foundation
import Testing
import TestSupport

extension Workbench {
    /// Starts to filter a video that comes in real time and lasts far longer than a test, to
    /// `out.mkv` and `events.jsonl`, and returns once frames were written.
    func startLongRun(_ options: [String]) async throws -> RunningProgram {
        let bash = Program(executable: URL(filePath: "/bin/bash"))
        // The program takes the place of the shell, so that signals reach it.
        let run = try bash.start(
            [
                "-c",
                """
                exec "$0" filter - out.mkv --no-gestures --preset ultrafast --progress json --events events.jsonl "$@" \
                    < <(exec ffmpeg -v quiet -nostdin -re -f lavfi -i testsrc2=s=160x120:r=50:d=\(Hang.seconds) \
                        -c:v libx264 -preset ultrafast -f nut -)
                """, Program.flourish.executable.path,
            ] + options, in: folder)
        try await waits { run.framesSoFar > 0 }
        return run
    }

    /// Waits until a condition holds; records an issue if it does not before the timeout of a hanging test.
    func waits(
        sourceLocation: SourceLocation = #_sourceLocation, for condition: () throws -> Bool
    ) async throws {
        for _ in Hang.rounds(milliseconds: 50) {
            if try condition() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("waited in vain", sourceLocation: sourceLocation)
    }
}

extension RunningProgram {
    /// The number of frames that `--progress json` has reported.
    var framesSoFar: Int {
        let last = standardErrorSoFar.split(separator: "\n").last { $0.hasPrefix("{") && $0.hasSuffix("}") }
        return last.flatMap { try? JSONValue(parsing: String($0))["frames"]?.integer } ?? 0
    }
}
