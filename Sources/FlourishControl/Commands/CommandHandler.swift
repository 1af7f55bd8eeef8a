package import Flourish
import Synchronization

/// Does what is asked for over a socket or from the panel, and tells everybody who watches.
package final class CommandHandler: Sendable {
    package let session: ReactionSession
    /// What happens, for those who watch.
    package let feed: EventFeed
    private let quit = Atomic(false)

    package init(session: ReactionSession) {
        self.session = session
        feed = EventFeed()
    }

    /// Whether somebody ended the run by `quit`.
    package var hasQuit: Bool { quit.load(ordering: .relaxed) }

    /// Does what can be done at once.
    ///
    /// - Returns: the answer's data; `.null` where there is none.
    package func perform(_ command: ControlCommand) throws(ControlError) -> ControlValue {
        switch command {
        case .perform(let type, let origin): try perform(type, at: origin)
        case .cancel(let type): try cancel(type)
        case .set(let name, let value): try set(name, to: value)
        case .get(let name): return try get(name)
        case .quit:
            quit.store(true, ordering: .relaxed)
            session.stop()
        case .observe, .snapshot: throw ControlError("this cannot be done here")
        }
        return .null
    }

    private func perform(_ type: ReactionType, at origin: PicturePoint?) throws(ControlError) {
        do throws(FlourishError) { try session.performEffect(for: type, at: origin) } catch {
            throw ControlError(error)
        }
        guard session.canPerformReactionEffects else {
            throw ControlError(
                session.reactionEffectsEnabled
                    ? "nothing is shown: no video is running" : "nothing is shown: reactionEffectsEnabled is false")
        }
    }

    private func cancel(_ type: ReactionType?) throws(ControlError) {
        if let type, !session.availableReactionTypes.contains(type) {
            throw ControlError("there is no reaction \"\(type.rawValue.prefix(40))\"")
        }
        session.cancelEffects(for: type)
    }

    private func set(_ name: String, to value: ControlValue) throws(ControlError) {
        let property = try ControlProperty.named(name, of: session)
        guard let write = property.write else { throw ControlError("\(name) cannot be set") }
        let before = property.read(session)
        try write(session, value)
        let after = property.read(session)
        if after != before { feed.publishChange(of: name, to: after) }
    }

    private func get(_ name: String?) throws(ControlError) -> ControlValue {
        if let name { return try ControlProperty.named(name, of: session).read(session) }
        var all: [String: ControlValue] = [:]
        for property in ControlProperty.all(of: session) { all[property.name] = property.read(session) }
        return .object(all)
    }
}

extension ControlRequest {
    /// The answer's line: `{"error": "success", "request_id": 7}`, with data where there is some.
    package func answer(_ result: Result<ControlValue, ControlError>) -> String {
        var fields: [String: ControlValue] = [:]
        fields["request_id"] = id
        switch result {
        case .success(let data):
            fields["error"] = .text("success")
            if data != .null { fields["data"] = data }
        case .failure(let error): fields["error"] = .text(error.message)
        }
        return ControlLine.encode(.object(fields))
    }
}
