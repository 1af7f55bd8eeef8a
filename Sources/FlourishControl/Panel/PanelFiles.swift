import Flourish
import FoundationEssentials
import NIOCore

/// The panel's files, read once: those of `Assets/Panel`, and an icon for each reaction.
struct PanelFiles: Sendable {
    struct File: Sendable {
        let type: String
        let bytes: ByteBuffer
    }

    /// By the path behind the token.
    let files: [String: File]

    private static let names = [
        "index.html": "text/html; charset=utf-8", "panel.css": "text/css; charset=utf-8",
        "panel.js": "text/javascript; charset=utf-8",
    ]

    /// - Throws: ``FlourishError/Code/unavailable`` where files are missing.
    init(session: ReactionSession) throws(FlourishError) {
        let assets = (session.configuration.resources ?? .located()).assets
        var files: [String: File] = [:]
        for (name, type) in Self.names {
            guard let assets, let bytes = FileManager.default.contents(atPath: assets + "/Panel/" + name) else {
                throw FlourishError(
                    .unavailable,
                    "the panel's page (Assets/Panel/\(name)) is not installed; run Scripts/install, or set FLOURISH_ASSETS"
                )
            }
            files[name] = File(type: type, bytes: ByteBuffer(bytes: bytes))
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
