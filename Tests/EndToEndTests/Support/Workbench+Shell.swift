import Foundation
import TestSupport

extension Workbench {
    /// Runs a shell line in the folder, with `flourish` and `ffmpeg` as commands that end by themselves after a
    /// minute at most.
    func shell(_ line: String) async throws -> ProgramResult {
        let program = Program.flourish.executable.path
        let functions = """
            flourish() { timeout \(60 * Sanitizer.timeoutFactor) '\(program)' "$@"; }
            ffmpeg() { timeout \(60 * Sanitizer.timeoutFactor) ffmpeg -threads 2 -hide_banner -nostdin -y -v error "$@"; }

            """
        let bash = Program(executable: URL(filePath: "/bin/bash"))
        return try await bash.run(["-c", functions + line], in: folder, timeout: .seconds(90))
    }
}
