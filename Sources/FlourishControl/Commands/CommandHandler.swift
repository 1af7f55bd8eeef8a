package import Flourish
import Synchronization

/// Executes the commands of the control socket and the panel, and publishes events to their clients.
///
/// ```swift
/// let handler = CommandHandler(session: session)
/// _ = try handler.perform(.set("intensity", .number(0.5)))
/// print(try handler.perform(.get("reactionEffectsInProgress"))?.plain ?? "")
/// ```
package final class CommandHandler: Sendable {
    package let session: ReactionSession
    /// The events of the session, for clients that observe it.
    package let feed: EventFeed
    private let quit = Atomic(false)
    private let run = Mutex(RunState())

    private struct RunState {
        var input: String?
        var progress: SessionProgress?
        /// A Boolean value that indicates whether gestures were snoozed at the last check.
        var isSnoozed = false
        let start = ContinuousClock.now
    }

    package init(session: ReactionSession) {
        self.session = session
        feed = EventFeed()
    }

    /// A Boolean value that indicates whether a client ended the run with `quit`.
    package var hasQuit: Bool { quit.load(ordering: .relaxed) }

    /// Publishes an event to all clients that observe the session.
    package func publish(_ event: ReactionEvent) {
        publishSnoozeEnd()
        if case .streamStarted(let stream) = event.kind { run.withLock { $0.input = stream.input } }
        feed.publish(event)
    }

    /// Records the progress of the run.
    package func record(_ progress: SessionProgress) {
        run.withLock { $0.progress = progress }
        publishSnoozeEnd()
    }

    /// Publishes the end of a snooze once, when its time is over.
    private func publishSnoozeEnd() {
        let isSnoozed = session.gestureSnooze != nil
        guard
            run.withLock({ run in
                defer { run.isSnoozed = isSnoozed }
                return run.isSnoozed && !isSnoozed
            })
        else { return }
        feed.publishChange(of: ControlProperty.gestureSnooze, to: .null)
    }

    /// The name of the input; `nil` before the stream has started.
    var input: String? { run.withLock { $0.input } }

    /// The progress of the run and the estimated remaining time, as a value of the control protocol.
    var progress: ControlValue {
        let (progress, start) = run.withLock { ($0.progress, $0.start) }
        guard let progress else { return .null }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let fraction = progress.fraction
        let remaining = fraction.flatMap { $0 > 0.001 ? elapsed * (1 - $0) / $0 : nil }
        var fields: [String: ControlValue] = [
            "seconds": .number(progress.seconds), "duration": progress.duration.map { .number($0) } ?? .null,
            "fraction": fraction.map { .number($0) } ?? .null,
            "remainingSeconds": remaining.map { .number($0) } ?? .null,
        ]
        if progress.pass != .only { fields["pass"] = .text(progress.pass.rawValue) }
        return .object(fields)
    }

    /// Executes a command that does not wait.
    ///
    /// - Returns: The reply's data; `nil` if it has none.
    package func perform(_ command: ControlCommand) throws(ControlError) -> ControlValue? {
        switch command {
        case .perform(let type, let origin): try perform(type, at: origin)
        case .cancel(let type): try cancel(type)
        case .cancelEffect(let id):
            do throws(FlourishError) { try session.cancelEffect(id: id) } catch { throw ControlError(error) }
        case .set(let name, let value): try set(name, to: value)
        case .get(let name): return try get(name)
        case .quit:
            quit.store(true, ordering: .relaxed)
            session.stop()
        case .observe, .snapshot, .photo: throw ControlError("this command is not supported here")
        }
        return nil
    }

    /// Captures a photograph into the run's folder, and waits for it.
    func photograph(at time: Double?, _ quality: PhotoQualityPrioritization?) async -> Result<
        ControlValue?, ControlError
    > {
        guard let options = session.configuration.photos, options.folder != nil else {
            return .failure(ControlError("photographs are disabled; start the run with --photos"))
        }
        var settings = PhotoSettings(options.processedFileType)
        settings.photoQualityPrioritization = quality ?? options.photoQualityPrioritization
        do throws(FlourishError) {
            let photo = try await session.capturePhoto(with: settings, at: time)
            let resolved = photo.resolvedSettings
            var fields: [String: ControlValue] = [
                "path": photo.path.map { .text($0) } ?? .null, "time": .number(photo.time),
                "photoQualityPrioritization": .text(resolved.photoQualityPrioritization.rawValue),
                "frames": .number(Double(resolved.frames)),
            ]
            if photo.isProxy { fields["degraded"] = .flag(true) }
            return .success(.object(fields))
        } catch {
            return .failure(ControlError(error))
        }
    }

    private func perform(_ type: ReactionType, at origin: PicturePoint?) throws(ControlError) {
        do throws(FlourishError) { try session.performEffect(for: type, at: origin) } catch {
            throw ControlError(error)
        }
        guard session.canPerformReactionEffects else {
            throw ControlError(
                session.reactionEffectsEnabled
                    ? "no reaction is shown: no video is running" : "no reaction is shown: reactions are disabled")
        }
    }

    private func cancel(_ type: ReactionType?) throws(ControlError) {
        if let type, !session.availableReactionTypes.contains(type) {
            throw ControlError("there is no reaction \"\(type.rawValue.prefix(40))\"")
        }
        session.cancelEffects(for: type)
    }

    private func set(_ name: String, to value: ControlValue) throws(ControlError) {
        let property = try ControlProperty.named(name, of: self)
        guard let write = property.write else { throw ControlError("\(name) is read-only") }
        if let setting = property.setting, let file = session.configuration.locks.files[setting] {
            throw ControlError("\(name) cannot be set: \(file) locks \(setting) for all users of this machine")
        }
        let before = property.read(self)
        try write(session, value)
        let after = property.read(self)
        guard after != before else { return }
        if name == ControlProperty.gestureSnooze { run.withLock { $0.isSnoozed = after != .null } }
        feed.publishChange(of: name, to: after)
    }

    private func get(_ name: String?) throws(ControlError) -> ControlValue {
        if let name { return try ControlProperty.named(name, of: self).read(self) }
        var all: [String: ControlValue] = [:]
        for property in ControlProperty.all(of: self) { all[property.name] = property.read(self) }
        return .object(all)
    }
}
