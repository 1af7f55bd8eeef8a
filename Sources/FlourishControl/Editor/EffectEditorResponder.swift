import Flourish
import NIOCore
import NIOHTTP1
import Platform

/// Responds to the requests of the effect editor's page. Drawing and reading run on separate threads.
struct EffectEditorResponder: PageResponding {
    let access: PanelAccess
    let editor: EffectEditor
    let files: [String: PanelFiles.File]
    let followers: FollowerCount
    /// Limits the number of concurrent previews and measurements.
    let viewers: FollowerCount

    /// The maximum size of a request's body, in bytes: that of a description.
    var maximumReadSize: Int { EffectFile.greatestSize }

    /// The heights of previews, in pixels.
    private static let heights = 90...720
    /// The height of the pictures in which the cost is measured.
    private static let measuredHeight = 720

    func respond(to head: HTTPRequestHead, at path: Substring, body: ByteBuffer) async -> PanelResponse {
        let query = RequestQuery(head.uri)
        switch (head.method, path) {
        case (.GET, "session"):
            return .json(
                JSONValue.object([
                    "first": editor.first.map { .text($0) } ?? .null, "folder": .text(editor.shelf.folder),
                    "rate": .integer(DraftPreview.rate),
                ]).json)
        case (.GET, "events"): return .events(followers) { [board = editor.board] send in try await board.follow(send) }
        case (.GET, "effect"): return await description(query)
        case (.PUT, "effect"): return await save(head, query, body)
        case (.POST, "preview"): return await preview(head, query, body)
        case (.POST, "measure"): return await measure(head, query, body)
        case (.GET, _): return .file(path, of: files)
        default: return .text(.methodNotAllowed, "this method is not supported\n")
        }
    }

    // MARK: Files

    /// Returns the name in a query. It becomes a part of a path, so only the characters of effects' names are allowed.
    private func name(_ query: RequestQuery) -> String? {
        query["name"].flatMap { name in
            let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            return isPlain && (1...64).contains(name.utf8.count) ? name : nil
        }
    }

    private func description(_ query: RequestQuery) async -> PanelResponse {
        guard let name = name(query), let entry = editor.shelf.entry(name) else {
            return .refusal(.notFound, "there is no such effect")
        }
        let result = await StageThread.run { [editor] () throws(EffectError) in
            let (text, version) = try editor.shelf.read(entry)
            return (text, version, editor.fault(of: text, entry))
        }
        switch result {
        case .success(let (text, version, fault)):
            return .json(
                JSONValue.object([
                    "name": .text(name), "path": .text(entry.path), "isBuiltIn": .flag(entry.isBuiltIn),
                    "text": .text(String(decoding: text, as: UTF8.self)), "version": .text(version),
                    "fault": fault.map { .text($0) } ?? .null,
                    "sprites": .array(editor.shelf.sprites(of: entry).map { .text($0) }),
                ]).json)
        case .failure(let error): return .fault(error, .notFound)
        }
    }

    private func save(_ head: HTTPRequestHead, _ query: RequestQuery, _ body: ByteBuffer) async -> PanelResponse {
        guard head.isJSON else { return .notJSON }
        guard let name = name(query) else {
            return .refusal(.badRequest, "a name consists of letters, digits, - and _, and starts with a letter")
        }
        let known = head.headers.first(name: "If-Match").map { $0.filter { $0 != "\"" } }
        let text = Array(body.readableBytesView)
        let result = await StageThread.run { [editor] () throws(EffectShelf.Refusal) in
            let version = try editor.save(text, as: name, replacing: known)
            editor.publish()
            return (version, editor.shelf.entry(name)?.path ?? "")
        }
        switch result {
        case .success(let (version, path)):
            return .json(JSONValue.object(["version": .text(version), "path": .text(path)]).json)
        case .failure(.changed):
            return .refusal(
                .preconditionFailed, known == nil ? "there is an effect \(name) already" : "the file has changed")
        case .failure(.invalid(let error)): return .fault(error)
        case .failure(.unwritable(let message)): return .refusal(.insufficientStorage, message)
        }
    }

    // MARK: Drawing

    /// Returns the draft and the view that a request describes.
    private func draft(_ query: RequestQuery, _ body: ByteBuffer) -> (EffectDraft, DraftPreview.View)? {
        guard let name = name(query), let seed = query.number("seed").flatMap({ UInt64(exactly: $0) }),
            let height = query.number("height").flatMap({ Int(exactly: $0) }), Self.heights.contains(height),
            let brightness = query.number("wall").flatMap({ Int(exactly: $0) }), (16...235).contains(brightness)
        else { return nil }
        return (
            editor.shelf.draft(Array(body.readableBytesView), of: name),
            DraftPreview.View(height: height, brightness: brightness, seed: seed)
        )
    }

    private func preview(_ head: HTTPRequestHead, _ query: RequestQuery, _ body: ByteBuffer) async -> PanelResponse {
        guard head.isJSON else { return .notJSON }
        guard let (draft, view) = draft(query, body), let first = query.number("from").flatMap({ Int(exactly: $0) })
        else { return Self.incomplete }
        let result = await StageThread.run { [preview = editor.preview] () throws(EffectError) in
            try preview.check(draft)
        }
        if case .failure(let error) = result { return .fault(error) }
        guard let viewer = viewers.add() else { return .refusal(.serviceUnavailable, "too many previews are open") }
        let parts = Self.parts(of: draft, view, from: first, editor.preview)
        return PanelResponse(
            type: "application/octet-stream",
            .stream { send in
                defer { withExtendedLifetime(viewer) {} }
                for await part in parts { try await send(part.record) }
            })
    }

    /// Draws on a separate thread, until all is drawn or the client has gone.
    private static func parts(
        of draft: EffectDraft, _ view: DraftPreview.View, from first: Int, _ preview: DraftPreview
    ) -> AsyncStream<DraftPreview.Part> {
        let (parts, sink) = AsyncStream.makeStream(of: DraftPreview.Part.self)
        StageThread {
            try? preview.draw(draft, view, from: first) { part in
                if case .terminated = sink.yield(part) { false } else { true }
            }
            sink.finish()
        }.detach()
        return parts
    }

    private func measure(_ head: HTTPRequestHead, _ query: RequestQuery, _ body: ByteBuffer) async -> PanelResponse {
        guard head.isJSON else { return .notJSON }
        guard let (draft, requested) = draft(query, body) else { return Self.incomplete }
        var view = requested
        guard let viewer = viewers.add() else { return .refusal(.serviceUnavailable, "too many previews are open") }
        defer { withExtendedLifetime(viewer) {} }
        view.height = Self.measuredHeight
        let result = await StageThread.run { [preview = editor.preview, view, draft] () throws(FlourishError) in
            try preview.measure(draft, view)
        }
        switch result {
        case .success(let measurement): return .json(JSONLine.encoded(measurement) ?? "{}")
        case .failure(let error): return .refusal(.unprocessableEntity, error.problem)
        }
    }

    private static var incomplete: PanelResponse {
        .refusal(.badRequest, "the name, the seed, the height, the wall or the first frame is missing or invalid")
    }
}

extension PanelResponse {
    /// Returns a response with the fault of a description and its place.
    fileprivate static func fault(
        _ error: EffectError, _ status: HTTPResponseStatus = .unprocessableEntity
    ) -> PanelResponse {
        PanelResponse(
            status, type: "application/json",
            .bytes(
                ByteBuffer(
                    string: JSONValue.object(["error": .text(error.message), "place": .text(error.key)]).json)))
    }
}

extension DraftPreview.Part {
    /// The part as the page reads it: a frame's index, 2³² − 1 for JSON, or 2³² − 2 for the requested frame; the
    /// number of bytes; and the bytes.
    fileprivate var record: ByteBuffer {
        let (index, bytes): (UInt32, [UInt8]) =
            switch self {
            case .beginning(let frames, let width, let height):
                (
                    .max,
                    Self.json(["frames": .integer(frames), "width": .integer(width), "height": .integer(height)])
                )
            case .still(let jpeg): (.max - 1, jpeg)
            case .frame(let index, let jpeg): (UInt32(index), jpeg)
            case .figures(let figures):
                (
                    .max,
                    Self.json([
                        "meanMilliseconds": .number(figures.meanMilliseconds),
                        "maximumMilliseconds": .number(figures.maximumMilliseconds),
                        "flashes": .integer(figures.flashes),
                        "hiddenAt": figures.hiddenAt.map { .number($0) } ?? .null,
                    ])
                )
            }
        var buffer = ByteBuffer()
        buffer.writeInteger(index)
        buffer.writeInteger(UInt32(bytes.count))
        buffer.writeBytes(bytes)
        return buffer
    }

    private static func json(_ fields: [String: JSONValue]) -> [UInt8] {
        Array(JSONValue.object(fields).json.utf8)
    }
}
