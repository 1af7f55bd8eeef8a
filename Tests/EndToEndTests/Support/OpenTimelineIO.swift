import Foundation
import TestSupport

/// OpenTimelineIO's own library, in Python: the reference reader for files of markers.
enum OpenTimelineIO {
    /// A Python that has it and its adapters: the one that the environment's `FLOURISH_OTIO_PYTHON` names, or the
    /// default one; `nil` if neither has them.
    static let python: Program? = {
        let named = ProcessInfo.processInfo.environment["FLOURISH_OTIO_PYTHON"].map {
            Program(executable: URL(filePath: $0))
        }
        guard let program = named ?? (try? Program.onPath("python3")) else { return nil }
        let process = Process()
        process.executableURL = program.executable
        process.arguments = [
            "-c", "import opentimelineio, otio_cmx3600_adapter, otio_fcp_adapter, otio_fcpx_xml_adapter",
        ]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? program : nil
    }()

    /// Runs a script in a workbench, with `otio` imported, and reads the JSON that it prints.
    static func run(_ script: String, in bench: Workbench) async throws -> JSONValue {
        guard let python else { throw ProgramError.notFound("python3 with opentimelineio") }
        let text = "import json\nimport opentimelineio as otio\n" + script
        let result = try await python.succeed(["-c", text], in: bench.folder)
        return try JSONValue(parsing: result.standardOutput)
    }
}
