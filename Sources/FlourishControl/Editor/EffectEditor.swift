package import Flourish
import NIOCore
import Platform
import Synchronization

/// The state of `flourish effects`: the descriptions that can be edited. An ``EffectEditorServer`` serves it to browsers.
///
/// ```swift
/// let editor = try EffectEditor("confetti", folder: "effects", configuration: Configuration())
/// let server = try await EffectEditorServer(address: .loopback, editor: editor)
/// print("Open", server.url)
/// await editor.run()  // until the task is cancelled
/// await server.stop()
/// ```
package final class EffectEditor: Sendable {
    /// A part of the state.
    enum Topic: String, Sendable, CaseIterable {
        /// The descriptions, with the versions of their files.
        case effects
    }

    let shelf: EffectShelf
    let preview: DraftPreview
    let resources: Resources
    /// The name of the description that a page opens first; `nil` if it lets the user choose.
    let first: String?
    let board = StateBoard<Topic>()
    /// Serialises saving: writers of one path use the same temporary file.
    private let saving = Mutex<Void>(())
    /// The versions of the files that were read last, by path. While it is locked, the state is published.
    private let versions = Mutex<[String: (stamp: FileStamp, version: String)]>([:])
    /// The interval at which the files are examined.
    private static let interval = Duration.milliseconds(500)

    /// - Parameters:
    ///   - effect: A name, or the path of a description; `nil` if the user chooses on the page.
    ///   - folder: The folder of the user's effects.
    /// - Throws: ``FlourishError`` if the effect cannot be edited.
    package init(_ effect: String? = nil, folder: String, configuration: Configuration) throws(FlourishError) {
        resources = configuration.resources ?? .located()
        preview = try DraftPreview(resources: resources)
        let isPath = effect.map(Self.isPath) ?? false
        shelf = try EffectShelf(folder: folder, file: isPath ? effect : nil, preview: preview, resources: resources)
        first = isPath ? shelf.named : effect
        // When a browser closes its connection, a write fails.
        signal(SIGPIPE, SIG_IGN)
        if let first { try check(first) }
        publish()
    }

    /// Checks a description and saves it; see ``EffectShelf/save(_:as:replacing:)``.
    func save(_ text: [UInt8], as name: String, replacing known: String?) throws(EffectShelf.Refusal) -> String {
        try saving.withLock { (_) throws(EffectShelf.Refusal) in try shelf.save(text, as: name, replacing: known) }
    }

    /// Returns whether a user means a path, not the name of an effect.
    package static func isPath(_ effect: String) -> Bool { effect.contains("/") || effect.hasSuffix(".json") }

    /// Verifies that a description exists and is valid.
    private func check(_ name: String) throws(FlourishError) {
        guard let entry = shelf.entry(name) else {
            let names = shelf.entries.map(\.name)
            throw FlourishError(
                .usage,
                "unknown effect \(name); \(name.suggestion(among: names))use one of \(names.joined(separator: ", ")), or a path that ends in .json"
            )
        }
        do throws(EffectError) {
            try preview.check(EffectDraft(json: try shelf.read(entry).text, file: entry.path))
        } catch { throw FlourishError(error) }
    }

    /// Returns the first fault of a description, with its key; `nil` if the description is valid.
    func fault(of text: [UInt8], _ entry: EffectShelf.Entry) -> String? {
        do throws(EffectError) {
            try preview.check(EffectDraft(json: text, file: entry.path))
            return nil
        } catch { return error.key.isEmpty ? error.message : "\(error.key): \(error.message)" }
    }

    /// Watches the files for changes by other programs until the task is cancelled.
    package func run() async {
        while (try? await Task.sleep(for: Self.interval)) != nil { publish() }
        board.close()
    }

    /// Publishes the descriptions that exist now.
    func publish() {
        versions.withLock { known in
            let entries = shelf.entries
            var found: [String: (stamp: FileStamp, version: String)] = [:]
            for entry in entries {
                guard let stamp = FileStamp(of: entry.path) else { continue }
                if let former = known[entry.path], former.stamp == stamp {
                    found[entry.path] = former
                } else if let version = (try? shelf.read(entry))?.version {
                    found[entry.path] = (stamp, version)
                }
            }
            known = found
            board.publish(
                .effects,
                .array(
                    entries.map { entry in
                        .object([
                            "name": .text(entry.name), "isBuiltIn": .flag(entry.isBuiltIn), "path": .text(entry.path),
                            "version": found[entry.path].map { .text($0.version) } ?? .null,
                        ])
                    }))
        }
    }
}

/// Serves the page of the effect editor over HTTP to clients that have its token.
package final class EffectEditorServer: Sendable {
    /// The maximum wait at the end until pages have received the last event.
    private static let shutdownLimit = TimeAmount.milliseconds(300)

    private let server: PageServer

    /// The page's URL, with the token that gives access to the effects.
    package var url: String { server.url }

    /// Begins to serve.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the address cannot be used,
    ///   ``FlourishError/Code/unavailable`` if the page is not installed.
    package init(address: PanelAddress, editor: EffectEditor) async throws(FlourishError) {
        // The page has icons of the built-in effects alone, since custom ones may be invalid.
        var configuration = Configuration()
        configuration.resources = editor.resources
        configuration.resources?.effectFolders = []
        let files = try PanelFiles(session: ReactionSession(configuration: configuration), page: .editor).files
        let (followers, viewers) = (FollowerCount(), FollowerCount(maximum: 4))
        server = try await PageServer(address: address, name: "effect editor", option: "--address") { access in
            EffectEditorResponder(
                access: access, editor: editor, files: files, followers: followers, viewers: viewers)
        }
    }

    /// Closes all connections.
    package func stop() async { await server.stop(within: Self.shutdownLimit) }
}
