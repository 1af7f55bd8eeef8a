import Foundation
import Testing
import TestSupport

/// axe-core, a checker for accessible pages: https://github.com/dequelabs/axe-core.
enum AxeCore {
    /// Its script, from the Python package that contains it; `nil` if that is not installed. The Python is the one
    /// that the environment's `FLOURISH_OTIO_PYTHON` names, or the default one.
    static let script: String? = {
        let named = ProcessInfo.processInfo.environment["FLOURISH_OTIO_PYTHON"].map {
            Program(executable: URL(filePath: $0))
        }
        guard let python = named ?? (try? Program.onPath("python3")) else { return nil }
        let (process, output) = (Process(), Pipe())
        process.executableURL = python.executable
        process.arguments = [
            "-c",
            "import importlib.util as u; print(u.find_spec('axe_playwright_python').submodule_search_locations[0])",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let folder = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return try? String(
            contentsOfFile: folder.trimmingCharacters(in: .whitespacesAndNewlines) + "/axe.min.js", encoding: .utf8)
    }()

    /// Returns the violations of a page in which the script was evaluated: a rule and its elements each.
    static func violations(in browser: Chromium) async throws -> [String] {
        let found = try await browser.evaluate(
            """
            axe.run(document).then((result) => result.violations.map(
              (rule) => `${rule.id} (${rule.impact}): ${rule.nodes.map((node) => node.html.slice(0, 200)).join(', ')}`))
            """)
        return found.array?.compactMap(\.string) ?? ["axe said nothing"]
    }

    /// Expects no violation in a state of a page, in the light and in the dark scheme.
    ///
    /// - Parameter features: Further media features.
    static func check(
        _ browser: Chromium, _ state: String, features: [[String: String]] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for scheme in ["light", "dark"] {
            try await browser.call(
                "Emulation.setEmulatedMedia",
                ["features": [["name": "prefers-color-scheme", "value": scheme]] + features])
            #expect(
                try await violations(in: browser) == [], "\(state), \(scheme)", sourceLocation: sourceLocation)
        }
    }
}
