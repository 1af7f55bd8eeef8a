package import Flourish
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Platform
import Synchronization

/// The state of `flourish evaluate --review`: the triggers of an evaluation, and the answers to each. A
/// ``TriggerReviewServer`` serves it to browsers.
package final class TriggerReview: Sendable {
    let triggers: [Evaluation.Trigger]
    let configuration: Configuration
    private let saved: Mutex<TriggerAnswers>
    /// The pictures of the recording that was shown last.
    private let shown = Mutex<(input: String, pictures: RecordingPictures)?>(nil)
    private let end = AsyncStream.makeStream(of: Void.self)

    package init(_ triggers: [Evaluation.Trigger], _ answers: TriggerAnswers, configuration: Configuration) {
        self.triggers = triggers
        self.configuration = configuration
        saved = Mutex(answers)
    }

    /// The answers so far.
    package var answers: TriggerAnswers { saved.withLock { $0 } }

    /// Waits until a page ends the review, or the task is cancelled.
    package func run() async {
        for await _ in end.stream { return }
    }

    /// Ends ``run()``.
    func finish() { end.continuation.yield() }

    /// Saves the answer to a trigger; `nil` removes it.
    ///
    /// - Throws: ``FlourishError`` if it cannot be saved. The former answer is then kept.
    func answer(_ index: Int, isMeant: Bool?) throws(FlourishError) {
        try saved.withLock { answers throws(FlourishError) in
            var changed = answers
            changed[triggers[index]] = isMeant
            try changed.save()
            answers = changed
        }
    }

    /// Returns the pictures of a trigger's recording; `nil` if the recording's path is not UTF-8.
    func pictures(of index: Int) -> RecordingPictures? {
        guard let input = triggers[index].input.text else { return nil }
        return shown.withLock { shown in
            if let shown, shown.input == input { return shown.pictures }
            let pictures = RecordingPictures(of: input, configuration)
            shown = (input, pictures)
            return pictures
        }
    }
}

/// Serves the page of an evaluation's triggers over HTTP to clients that have its token.
package final class TriggerReviewServer: Sendable {
    private let server: PageServer

    /// The page's URL, with the token that gives access to the recordings.
    package var url: String { server.url }

    /// Begins to serve.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the address cannot be used,
    ///   ``FlourishError/Code/unavailable`` if the page is not installed.
    package init(address: PanelAddress, review: TriggerReview) async throws(FlourishError) {
        let files = try PanelFiles(session: ReactionSession(configuration: review.configuration), page: .triggers).files
        let clients = FollowerCount(maximum: 24)
        server = try await PageServer(address: address, name: "evaluation", option: "--address") { access in
            TriggerResponder(access: access, review: review, files: files, clients: clients)
        }
    }

    /// Closes all connections.
    package func stop() async { await server.stop(within: .milliseconds(300)) }
}

/// Responds to the requests of the page that shows the triggers of an evaluation.
struct TriggerResponder: PageResponding {
    let access: PanelAccess
    let review: TriggerReview
    let files: [String: PanelFiles.File]
    /// Limits the number of concurrent requests for pictures.
    let clients: FollowerCount

    /// The body of an answer.
    private struct Answer: Decodable {
        var trigger: Int
        /// Missing or `null` to take an answer back.
        var isMeant: Bool?
    }

    func respond(to head: HTTPRequestHead, at path: Substring, body: ByteBuffer) async -> PanelResponse {
        let query = RequestQuery(head.uri)
        switch (head.method, path) {
        case (.GET, "triggers"): return triggers
        case (.GET, "frame.jpg"): return await picture(query)
        case (.POST, "answer"): return answer(head, body)
        case (.POST, "finish"):
            guard head.isJSON else { return .notJSON }
            review.finish()
            return .json("{}")
        case (.GET, _): return .file(path, of: files)
        default: return .text(.methodNotAllowed, "this method is not supported\n")
        }
    }

    private var triggers: PanelResponse {
        let answers = review.answers
        return .json(
            JSONValue.array(
                review.triggers.map { trigger in
                    .object([
                        "recording": .text("\(trigger.input)"), "gesture": .text(trigger.gesture),
                        "time": .number(trigger.time), "heldSince": .number(trigger.heldSince),
                        "isMeant": answers[trigger].map { .flag($0) } ?? .null,
                    ])
                }
            ).json)
    }

    private func answer(_ head: HTTPRequestHead, _ body: ByteBuffer) -> PanelResponse {
        guard head.isJSON else { return .notJSON }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(body.readableBytesView)),
            review.triggers.indices.contains(answer.trigger)
        else { return .refusal(.unprocessableEntity, "there is no such trigger") }
        do throws(FlourishError) { try review.answer(answer.trigger, isMeant: answer.isMeant) } catch {
            return .refusal(.insufficientStorage, error.problem)
        }
        return .json("{}")
    }

    private func picture(_ query: RequestQuery) async -> PanelResponse {
        guard let number = query.number("trigger"), let index = Int(exactly: number),
            review.triggers.indices.contains(index), let time = query.number("time"),
            let height = query.number("height").map({ Int($0) }), (16...1080).contains(height)
        else { return .refusal(.badRequest, "the trigger, the time in seconds or the height in pixels is missing") }
        guard let client = clients.add() else {
            return .refusal(.serviceUnavailable, "too many pictures are requested")
        }
        defer { withExtendedLifetime(client) {} }
        let result = await StageThread.run { [review] () throws(FlourishError) in
            try review.pictures(of: index)?.frame(at: time, height: height)
        }
        switch result {
        case .success(let jpeg?): return PanelResponse(type: "image/jpeg", .bytes(ByteBuffer(bytes: jpeg)))
        case .success(nil): return .refusal(.notFound, "there is no picture")
        case .failure(let error): return .refusal(.internalServerError, error.problem)
        }
    }
}
