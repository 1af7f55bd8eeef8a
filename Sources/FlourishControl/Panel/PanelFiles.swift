import Flourish
import FoundationEssentials
import NIOCore

/// A page's files, read once, and an icon for each reaction.
struct PanelFiles: Sendable {
    struct File: Sendable {
        let type: String
        let bytes: ByteBuffer
    }

    /// Which page.
    enum Page {
        case panel, review

        /// How messages name it.
        fileprivate var name: String {
            switch self {
            case .panel: "panel"
            case .review: "review"
            }
        }

        /// The folders of `Assets` that hold its files. The style sheet of the panel is that of both.
        fileprivate var paths: [String] {
            switch self {
            case .panel:
                ["index.html", "panel.css", "panel.js", "photographs.js", "picture.js"].map { "Panel/" + $0 }
            case .review:
                ["Panel/panel.css"]
                    + [
                        "index.html", "review.css", "review.js", "server.js", "plan.js", "words.js", "player.js",
                        "timeline.js", "strip.js", "inspector.js", "seen.js", "keys.js", "style.js", "render.js",
                    ].map { "Review/" + $0 }
            }
        }
    }

    /// By the path behind the token.
    let files: [String: File]

    private static let types = ["html": "text/html", "css": "text/css", "js": "text/javascript"]

    /// - Throws: ``FlourishError/Code/unavailable`` where files are missing.
    init(session: ReactionSession, page: Page = .panel) throws(FlourishError) {
        let assets = (session.configuration.resources ?? .located()).assets
        var files: [String: File] = [:]
        for path in page.paths {
            guard let assets, let bytes = FileManager.default.contents(atPath: assets + "/" + path) else {
                throw FlourishError(
                    .unavailable,
                    "the \(page.name)'s page (Assets/\(path)) is not installed; run Scripts/install, or set FLOURISH_ASSETS"
                )
            }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let type = Self.types[name.split(separator: ".").last.map(String.init) ?? ""] ?? "text/plain"
            files[name] = File(type: type + "; charset=utf-8", bytes: ByteBuffer(bytes: bytes))
        }
        files[""] = files["index.html"]
        for type in try session.loadReactionTypes() {
            // An effect without sprites has a button without a picture.
            guard let png = try session.pngIcon(for: type) else { continue }
            files["icons/\(type.rawValue).png"] = File(type: "image/png", bytes: ByteBuffer(bytes: png))
        }
        self.files = files
    }
}
