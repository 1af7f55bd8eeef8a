package import Flourish
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Platform
import Synchronization

/// The body of a request to render.
private struct RenderRequest: Decodable {
    /// True if an existing output may be replaced.
    var replace: Bool?
}

extension PageServer {
    /// Serves the page of a review.
    package convenience init(address: PanelAddress, review: Review) async throws(FlourishError) {
        try await self.init(
            .review, address: address, session: ReactionSession(configuration: review.configuration),
            responder: ReviewResponder(review: review))
    }
}

/// Responds to the review's requests. Blocking work runs on separate threads.
private struct ReviewResponder: PageResponding {
    let review: Review
    let followers = FollowerCount()
    /// Limits the number of concurrent previews of intervals.
    let viewers = FollowerCount(maximum: 6)
    /// Limits the number of concurrent requests for pictures.
    let previewClients = FollowerCount(maximum: 48)

    /// The maximum size of a request's body, in bytes: sufficient for a patch of several hundred reactions.
    var maximumReadSize: Int { 512 * 1024 }

    /// The paths whose responses depend on the recording, and are refused after the recording has changed.
    private static let ofRecording: Set<Substring> = [
        "stretch.mp4", "thumbnail.jpg", "frame.jpg", "seen", "render",
    ]

    func respond(to head: HTTPRequestHead, at path: Substring, body: ByteBuffer) async -> PanelResponse? {
        let query = RequestQuery(head.uri)
        if head.method != .DELETE, Self.ofRecording.contains(path), review.hasChanged {
            return .refusal(.conflict, "the recording has changed; start the review again")
        }
        switch (head.method, path) {
        case (.GET, "session"): return session
        case (.GET, "events"): return .events(followers) { [board = review.board] send in try await board.follow(send) }
        case (.GET, "plan"): return await plan()
        case (.PATCH, "plan"): return await change(head, body)
        case (.POST, "plan"): return await restart(head)
        case (.GET, "video"), (.HEAD, "video"):
            return FileResponse(path: review.input, type: review.facts.mediaType, stamp: review.recordingStamp)
                .answer(to: head)
        case (.GET, "result"), (.HEAD, "result"): return await result(head)
        case (.GET, "stretch.mp4"): return await preview(query)
        case (.GET, "thumbnail.jpg"), (.GET, "frame.jpg"): return await picture(path, query)
        case (.GET, "seen"): return await seen(query)
        case (.GET, "sound"): return sound()
        case (.POST, "render"): return await render(head, body)
        case (.DELETE, "render"):
            await review.rendering.cancel()
            return .json("{}")
        default: return nil
        }
    }

    // MARK: The plan

    private func plan() async -> PanelResponse {
        guard let plan = await review.document.plan else { return .refusal(.notFound, "there is no plan yet") }
        return .json("{\"revision\":\(await review.document.revision),\"plan\":\(JSONLine.encode(plan))}")
    }

    private func change(_ head: HTTPRequestHead, _ body: ByteBuffer) async -> PanelResponse {
        guard head.isJSON else { return .notJSON }
        guard let seen = head.headers.first(name: "If-Match").flatMap({ Int($0.filter { $0 != "\"" }) }) else {
            return .refusal(.preconditionRequired, "the header If-Match with the plan's revision is missing")
        }
        do {
            let patch = try PlanPatch(json: Array(body.readableBytesView))
            return .json("{\"revision\":\(try await review.document.change(patch, seen: seen))}")
        } catch let error as FlourishError {
            return .refusal(.unprocessableEntity, error.problem)
        } catch ReviewDocument.Refusal.invalid(let message) {
            return .refusal(.unprocessableEntity, message)
        } catch ReviewDocument.Refusal.outdated {
            return .refusal(.conflict, "the plan was changed elsewhere")
        } catch ReviewDocument.Refusal.unsaved(let message) {
            return .refusal(.insufficientStorage, message)
        } catch {
            return .refusal(.conflict, "there is no plan to change")
        }
    }

    private func restart(_ head: HTTPRequestHead) async -> PanelResponse {
        guard head.isJSON else { return .notJSON }
        Task { await review.restart() }
        return .json("{}")
    }

    // MARK: Previews and pictures

    private static let busy = "too many previews are open"
    private static let notRendered = "nothing was rendered yet"

    private func preview(_ query: RequestQuery) async -> PanelResponse {
        guard let start = query.number("from") else { return .refusal(.badRequest, "the start in seconds is missing") }
        let end = query.number("to"), known = await review.document.plan
        guard start < min(end ?? .infinity, known?.source.duration ?? .infinity) else {
            return .refusal(.badRequest, "this interval is not in the recording")
        }
        let isOfResult = query["of"] == "result"
        if isOfResult, await review.rendering.result == nil { return .refusal(.notFound, Self.notRendered) }
        var plan = isOfResult || query["effects"] == "no" ? nil : known
        // A preview of a disabled reaction still shows the reaction.
        if let id = query.number("with"), plan != nil {
            guard let index = plan?.reactions.firstIndex(where: { $0.id.map(Double.init) == id }) else {
                return .refusal(.badRequest, "the plan has no such reaction")
            }
            plan?.reactions[index].isEnabled = true
        }
        guard let viewer = viewers.add() else { return .refusal(.serviceUnavailable, Self.busy) }
        let pipe: PreviewPipe
        do throws(FlourishError) { pipe = try PreviewPipe(in: review.folder) } catch {
            return .refusal(.insufficientStorage, error.problem)
        }
        return .stream("video/mp4", for: viewer) {
            [plan, input = isOfResult ? review.rendering.output : review.input, configuration = review.previewing]
            send in
            let session = ReactionSession(configuration: configuration)
            let work = Task {
                defer { pipe.finish() }
                try? await session.preview(plan, of: input, from: start, to: end, into: pipe.path)
            }
            // A client that disconnects ends the preview.
            defer {
                session.stop()
                pipe.abandon()
                work.cancel()
            }
            while case let bytes = await pipe.read(), bytes.readableBytes > 0 { try await send(bytes) }
        }
    }

    private func picture(_ path: Substring, _ query: RequestQuery) async -> PanelResponse {
        guard let time = query.number("time"), let height = query.number("height").map({ Int($0) }),
            (16...1080).contains(height)
        else { return .refusal(.badRequest, "the time in seconds or the height in pixels is missing") }
        let isThumbnail = path == "thumbnail.jpg"
        return await .reading(previewClients, busy: Self.busy) {
            [pictures = review.pictures] () throws(FlourishError) in
            isThumbnail
                ? try pictures.thumbnail(at: time, height: height) : try pictures.frame(at: time, height: height)
        } respond: {
            .jpeg($0)
        }
    }

    private func seen(_ query: RequestQuery) async -> PanelResponse {
        guard let time = query.number("time") else { return .refusal(.badRequest, "the time in seconds is missing") }
        return await .reading(previewClients, busy: Self.busy) {
            [pictures = review.pictures] () throws(FlourishError) in
            try pictures.inspection(at: time)
        } respond: {
            .json($0.jsonLine)
        }
    }

    private func sound() -> PanelResponse {
        guard let peaks = review.waveform.peaks() else {
            return PanelResponse(.accepted, type: "application/octet-stream", .bytes(ByteBuffer()))
        }
        return PanelResponse(type: "application/octet-stream", .bytes(ByteBuffer(bytes: peaks)))
    }

    // MARK: The output

    private func render(_ head: HTTPRequestHead, _ body: ByteBuffer) async -> PanelResponse {
        guard head.isJSON else { return .notJSON }
        // Read first: a change in between makes the output count as older, not as newer.
        let revision = await review.document.revision
        guard let plan = await review.document.plan else { return .refusal(.conflict, "there is no plan yet") }
        let order = try? JSONDecoder().decode(RenderRequest.self, from: Data(body.readableBytesView))
        let replaces = order?.replace == true
        do throws(ReviewRendering.Refusal) {
            try await review.rendering.start(plan, revision: revision, replaces: replaces)
        } catch {
            switch error {
            case .isRunning: return .refusal(.conflict, "rendering is in progress")
            case .exists: return .refusal(.preconditionFailed, "\(review.rendering.output) exists already")
            case .impossible(let message): return .refusal(.unprocessableEntity, message)
            }
        }
        return .json("{}")
    }

    /// Returns the last rendering, or a range of it.
    private func result(_ head: HTTPRequestHead) async -> PanelResponse {
        guard let stamp = await review.rendering.result else { return .refusal(.notFound, Self.notRendered) }
        let path = review.rendering.output
        return FileResponse(path: path, type: RecordingFacts.mediaType(ofName: path), stamp: stamp).answer(to: head)
    }

    // MARK: The session

    private var session: PanelResponse {
        let facts = review.facts
        let session = ReactionSession(configuration: review.configuration)
        let durations = (try? session.effectDurations()) ?? [:]
        return .json(
            .object([
                "name": .text(String(RecordedFile.name(of: review.input))), "path": .text(review.input),
                "output": .text(review.rendering.output), "codec": .text(facts.codec),
                "width": .integer(facts.width), "height": .integer(facts.height),
                "frameRate": facts.frameRate.map { .number($0) } ?? .null, "startTime": .number(facts.startTime),
                "clockStart": .number(facts.clockStart),
                "duration": facts.duration.map { .number($0) } ?? .null, "hasSound": .flag(facts.hasSound),
                "peakRate": .number(PeakFinder.rate), "mediaType": .text(facts.mediaType),
                "hold": .number(review.configuration.hold),
                "portrait": .number(review.configuration.videoEffects.portrait),
                "studioLight": .number(review.configuration.videoEffects.studioLight),
                "types": EffectWatch.list(session.availableReactionTypes, durations),
                "effectsRevision": .integer(review.effects.revision),
                "palettes": .array(
                    Palette.names.compactMap { name in
                        Palette.designed[name].map { palette in
                            .object([
                                "name": .text(name), "colours": .array(palette.colours.map { .text($0) }),
                            ])
                        }
                    }),
            ]))
    }
}

extension RecordingFacts {
    /// Returns the media type of a file that Flourish wrote, by its extension.
    fileprivate static func mediaType(ofName path: String) -> String {
        switch path.split(separator: ".").last?.lowercased() {
        case "mp4", "m4v", "mov": "video/mp4"
        case "webm": "video/webm"
        case "mkv": "video/x-matroska"
        default: "application/octet-stream"
        }
    }

    /// The media type for browsers.
    var mediaType: String {
        let names = container.split(separator: ",")
        if names.contains("mp4") { return "video/mp4" }
        if names.contains("webm") { return ["vp8", "vp9", "av1"].contains(codec) ? "video/webm" : "video/x-matroska" }
        return switch names.first {
        case "mpegts": "video/mp2t"
        case "ogg": "video/ogg"
        case "avi": "video/x-msvideo"
        default: "application/octet-stream"
        }
    }
}

/// A named pipe between a session and a browser. The session works only as fast as the browser reads.
private final class PreviewPipe: Sendable {
    /// The size of a read, in bytes.
    private static let piece = 64 * 1024
    private static let count = Atomic(0)

    let path: String
    /// The reading end, used by one reader at a time.
    private let reader: Mutex<Int32>
    /// A writing end that stays open until the session has ended, so that the reader waits for it.
    private let keeper: Mutex<Int32>

    /// Makes a pipe.
    ///
    /// - Parameter folder: A folder that belongs to the process.
    /// - Throws: ``FlourishError/Code/outputUnavailable``.
    init(in folder: String) throws(FlourishError) {
        path = folder + "/preview-\(Self.count.add(1, ordering: .relaxed).newValue).mp4"
        let made = unsafe mkfifo(path, 0o600) == 0
        let descriptor = made ? unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1
        reader = Mutex(descriptor)
        keeper = Mutex(descriptor >= 0 ? unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1)
        guard keeper.withLock({ $0 >= 0 }) else {
            throw FlourishError(.outputUnavailable, "\(path): the named pipe cannot be created")
        }
        // From now on, reads block.
        _ = fcntl(descriptor, F_SETFL, 0)
    }

    deinit {
        finish()
        abandon()
    }

    /// Ends the stream when the session has ended.
    func finish() { Self.close(keeper) }

    /// Closes the reading end. A session that is blocked in a write gets an error.
    func abandon() {
        _ = unsafe unlink(path)
        Self.close(reader)
    }

    private static func close(_ held: borrowing Mutex<Int32>) {
        held.withLock { descriptor in
            if descriptor >= 0 { _ = Platform.close(descriptor) }
            descriptor = -1
        }
    }

    /// Returns the next bytes; an empty buffer at the end.
    func read() async -> ByteBuffer {
        await StageThread.run { [self] () throws(Never) in
            var buffer = ByteBufferAllocator().buffer(capacity: Self.piece)
            reader.withLock { descriptor in
                guard descriptor >= 0 else { return }
                _ = unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.piece) { bytes in
                    unsafe max(0, Platform.read(descriptor, bytes.baseAddress, Self.piece))
                }
            }
            return buffer
        }.get()
    }
}
