import Flourish
import FoundationEssentials
import Platform

/// The two files of a report: JSON where one asks for it, and the plot beside it.
struct ReportFiles {
    private let json: String
    private let svg: String

    /// - Parameter path: of the JSON; the plot's ends with `.svg` instead of `.json`.
    /// - Throws: `FlourishError` where that is the plot's name, would destroy another file of the run, or the folder is not there.
    init(path: String, apartFrom others: [String?]) throws(FlourishError) {
        if path == "-" {
            throw FlourishError(.usage, "a report is two files; give --report a path that ends with .json")
        }
        // A link stays one: what it leads to is replaced.
        json = URL(filePath: path).resolvingSymlinksInPath().path
        for name in [path, json] where name.lowercased().hasSuffix(".svg") {
            throw FlourishError(
                .usage,
                "\(path): the report is JSON; give --report \(name.dropLast(4)).json, and a plot of it gets the same name with .svg"
            )
        }
        svg = (json.hasSuffix(".json") ? String(json.dropLast(5)) : json) + ".svg"
        for file in [json, svg] {
            try OutputCheck.check(file, of: "--report", apartFrom: others)
            try OutputCheck.checkIsPlain(file, of: "--report")
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw unwritable("there is no folder \(folder) that can be written to")
        }
    }

    /// Writes both; files that are there are replaced.
    func write(_ report: EncodingReport) throws(FlourishError) {
        do {
            try report.json.write(toFile: json, atomically: true, encoding: .utf8)
            try report.svg.write(toFile: svg, atomically: true, encoding: .utf8)
        } catch {
            throw unwritable(Self.reason(for: error))
        }
    }

    private static func reason(for error: any Error) -> String {
        let cause = (error as? CocoaError)?.underlying as? POSIXError
        return cause.map { systemMessage($0.code.rawValue) } ?? "\(error)"
    }

    private func unwritable(_ reason: String) -> FlourishError {
        FlourishError(
            .outputUnavailable, "\(json): the report cannot be written there (\(reason)); choose another --report path")
    }
}
