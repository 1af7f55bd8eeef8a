public import Reactions

/// The choice of the tiles of a gallery recording, a recorded video call that shows several people side by side.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.layout = try LayoutChoice("3x3")
/// ```
public enum LayoutChoice: Sendable, Hashable {
    /// Tiles are detected. If there are none, the whole picture is used.
    case automatic
    /// The whole picture is used, even if it is a gallery.
    case single
    /// The tiles are given.
    case fixed(LayoutTimeline)

    /// The maximum number of columns, and of rows, of an even grid.
    public static let largestGrid = 10

    /// Reads a choice as it is written on the command line and in configuration files.
    ///
    /// - Parameter text: `auto`, `single`, a grid such as `3x2` (columns and rows), or the path of a file with tiles or a plan.
    /// - Throws: ``FlourishError/Code/usage`` for another word, ``FlourishError/Code/inputUnavailable`` and
    ///   ``FlourishError/Code/inputUnusable`` for a file.
    public init(_ text: String) throws(FlourishError) {
        switch text {
        case "auto": self = .automatic
        case "single": self = .single
        default:
            if let grid = Self.grid(text) {
                self = .fixed(grid)
            } else if text.contains("/") || text.contains(".") {
                self = .fixed(try LayoutTimeline(contentsOf: text))
            } else {
                throw FlourishError(
                    .usage,
                    "unknown layout '\(text.prefix(40))'; use auto, single, a grid such as 3x2, or a file")
            }
        }
    }

    private static func grid(_ text: String) -> LayoutTimeline? {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let columns = sides[0], let rows = sides[1], (1...largestGrid).contains(columns),
            (1...largestGrid).contains(rows)
        else { return nil }
        var timeline = LayoutTimeline(columns: columns, rows: rows)
        timeline.name = text
        return timeline
    }

    /// The choice as it is written; the file's path if there is one.
    package var text: String {
        switch self {
        case .automatic: "auto"
        case .single: "single"
        case .fixed(let timeline): timeline.name
        }
    }
}

extension LayoutTimeline {
    /// Reads a file of tiles. It contains `{"tiles": [{"x": 0, "y": 0, "width": 0.5, "height": 1}, …]}`, or a list
    /// `layouts` with a `startTime` each, or a plan that has such a list.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable`` if it cannot be read, ``FlourishError/Code/inputUnusable``
    ///   with the place of the first error if it contains no layout.
    public init(contentsOf path: String) throws(FlourishError) {
        let advice = "use a file as described in docs/gallery-recordings.md"
        let bytes = try NamedFile.read(path, advice: advice)
        let file: LayoutFile
        do {
            file = try JSONFault.decode(LayoutFile.self, from: bytes)
        } catch {
            let place = error.place.isEmpty ? "" : "\(error.place): "
            throw FlourishError(.inputUnusable, "\(path): \(place)\(error.message); \(advice)")
        }
        self.init(file.layouts)
        name = path
        if let fault { throw FlourishError(.inputUnusable, "\(path): \(fault); \(advice)") }
    }
}

/// The content of a file of tiles: one layout, or a list of layouts.
private struct LayoutFile: Decodable {
    var layouts: [LayoutTimeline.Layout]

    private enum Key: String, CodingKey { case layouts }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        layouts =
            try fields.decodeIfPresent([LayoutTimeline.Layout].self, forKey: .layouts)
            ?? [LayoutTimeline.Layout(from: decoder)]
    }
}
