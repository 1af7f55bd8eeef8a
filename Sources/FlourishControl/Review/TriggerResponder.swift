import Flourish
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Platform

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
            ControlValue.list(
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
