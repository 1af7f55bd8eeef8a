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

    /// Builds a library of `Faults/` for `LD_PRELOAD`; nil if no compiler is installed.
    func preloadedLibrary(_ name: String) async -> String? {
        let source = Repository.root.appending(path: "Tests/EndToEndTests/Faults/\(name).c").path
        let library = file("\(name).so")
        let build: Void? = try? await MadeFiles.shared.copy([source], to: library) { file in
            let script = """
                for compiler in clang cc gcc "$(dirname "$(readlink -f "$(command -v swiftc)")")/clang"; do
                    command -v "$compiler" > /dev/null && "$compiler" -O1 -shared -fPIC "$0" -o "$1" -ldl -pthread && exit 0
                done
                exit 1
                """
            try await Program(executable: URL(filePath: "/bin/bash")).succeed(["-c", script, source, file.path])
        }
        return build == nil ? nil : library.path
    }
}
