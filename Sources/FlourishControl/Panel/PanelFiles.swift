import Flourish
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// The files of a page, and an icon for each reaction. Read and rendered once, when the server starts.
struct PanelFiles: Sendable {
    /// A page that the program serves.
    enum Page {
        case panel, review, triggers, editor

        /// The page's name in messages.
        var name: String {
            switch self {
            case .panel: "panel"
            case .review: "review"
            case .triggers: "evaluation"
            case .editor: "effect editor"
            }
        }

        /// The option that chooses its address.
        var option: String { self == .panel ? "--panel" : "--address" }

        /// The name of its document.
        fileprivate var document: String { self == .triggers ? "triggers.html" : "index.html" }

        /// The paths of the page's files below `Assets`. All pages share the panel's style sheet.
        fileprivate var paths: [String] {
            switch self {
            case .panel:
                [
                    "index.html", "panel.css", "panel.js", "page.js", "names.js", "words.js", "stage.js",
                    "reactions.js", "settings.js", "background.js", "camera.js", "log.js", "status.js",
                    "photographs.js", "picture.js",
                ].map { "Panel/" + $0 }
                    + ["overlay.html", "overlay.css", "overlay.js"].map { "Overlay/" + $0 }
            case .review:
                ["Panel/panel.css", "Panel/requests.js", "Panel/names.js"]
                    + [
                        "index.html", "review.css", "review.js", "server.js", "plan.js", "words.js", "player.js",
                        "timeline.js", "strip.js", "tiles.js", "inspector.js", "seen.js", "keys.js", "style.js",
                        "render.js", "result.js",
                    ].map { "Review/" + $0 }
            case .triggers:
                ["Panel/panel.css", "Panel/requests.js", "Panel/names.js"]
                    + ["triggers.html", "triggers.css", "triggers.js", "words.js"].map { "Review/" + $0 }
            case .editor:
                ["Panel/panel.css", "Panel/requests.js", "Panel/names.js", "Review/words.js"]
                    + [
                        "index.html", "editor.css", "editor.js", "draft.js", "format.js", "controls.js", "emitters.js",
                        "fields.js", "player.js", "files.js", "effect.schema.json",
                    ].map { "Editor/" + $0 }
            }
        }
    }

    /// The files by their path after the token.
    let files: [String: PanelResponse]

    private static let types = [
        "html": "text/html", "css": "text/css", "js": "text/javascript", "json": "application/json",
    ]

    /// Reads the files.
    ///
    /// - Throws: ``FlourishError/Code/unavailable`` if files are missing.
    init(session: ReactionSession, page: Page) throws(FlourishError) {
        let assets = (session.configuration.resources ?? .located()).assets
        var files: [String: PanelResponse] = [:]
        for path in page.paths {
            guard let assets, let bytes = FileManager.default.contents(atPath: assets + "/" + path) else {
                throw FlourishError(
                    .unavailable,
                    "the \(page.name)'s page (Assets/\(path)) is not installed; run Scripts/install, or set FLOURISH_ASSETS"
                )
            }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let type = Self.types[name.split(separator: ".").last.map(String.init) ?? ""] ?? "text/plain"
            files[name] = PanelResponse(type: type + "; charset=utf-8", .bytes(ByteBuffer(bytes: bytes)))
        }
        files[""] = files[page.document]
        for type in try session.loadReactionTypes() {
            // For an effect without sprites, the page shows a button without an icon.
            guard let png = try session.pngIcon(for: type) else { continue }
            files["icons/\(type.rawValue).png"] = PanelResponse(type: "image/png", .bytes(ByteBuffer(bytes: png)))
        }
        self.files = files
    }
}
