package import Flourish
import NIOCore
import Synchronization

/// Executes the commands of the control socket and the panel on a session, and publishes the session's events to their
/// clients. Any thread may call it.
///
/// ```swift
/// let handler = CommandHandler(session: session)
/// let execution = handler.execute(.set(["intensity": .number(0.5)]), local: { _ in nil })
/// print(await execution.result())
/// ```
package final class CommandHandler: Sendable {
    package let session: ReactionSession
    /// The events of the session, for clients that observe it.
    package let feed: EventFeed
    private let quit = Atomic(false)
    private let run = Mutex(RunState())
    private let cameraState = Mutex(CameraState())

    private struct RunState {
        var stream: ReactionEvent.StreamDescription?
        var progress: SessionProgress?
        /// The instant of the newest frame.
        var progressed: ContinuousClock.Instant?
        /// True if gestures were snoozed at the last check.
        var isSnoozed = false
        let start = ContinuousClock.now
    }

    private struct CameraState {
        var choice: CameraChoice?
        /// The values that were published last, by the names of the properties.
        var published: [String: JSONValue] = [:]
    }

    package init(session: ReactionSession) {
        self.session = session
        feed = EventFeed()
    }

    /// True if a client ended the run with `quit`.
    package var hasQuit: Bool { quit.load(ordering: .relaxed) }

    /// Publishes an event to all clients that observe the session.
    package func publish(_ event: ReactionEvent) {
        publishSnoozeEnd()
        if case .streamStarted(let stream) = event.kind { run.withLock { $0.stream = stream } }
        feed.publish(event)
    }

    /// Records the progress of the run.
    package func record(_ progress: SessionProgress) {
        run.withLock { ($0.progress, $0.progressed) = (progress, .now) }
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

    /// The names of all properties.
    package var propertyNames: [String] { ControlProperty.all(of: self).map(\.name) }

    /// The name of the input; `nil` before the stream has started.
    var input: String? { run.withLock { $0.stream?.input } }

    /// The width of the upright picture divided by its height; `nil` before the stream has started.
    var aspectRatio: Double? {
        guard let stream = run.withLock({ $0.stream }), stream.width > 0, stream.height > 0 else { return nil }
        return Double(stream.width) / Double(stream.height)
    }

    /// The progress of the run and the estimated remaining time, as a value of the control protocol.
    var progress: JSONValue {
        let (progress, start) = run.withLock { ($0.progress, $0.start) }
        guard let progress else { return .null }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let fraction = progress.fraction
        let remaining = fraction.flatMap { $0 > 0.001 ? elapsed * (1 - $0) / $0 : nil }
        var fields: [String: JSONValue] = [
            "seconds": .number(progress.seconds), "duration": progress.duration.map { .number($0) } ?? .null,
            "fraction": fraction.map { .number($0) } ?? .null,
            "remainingSeconds": remaining.map { .number($0) } ?? .null,
        ]
        if progress.pass != .only { fields["pass"] = .text(progress.pass.rawValue) }
        return .object(fields)
    }

    /// The time without a frame after which an input counts as stalled.
    private static let patience = Duration.seconds(3)

    /// The reason why there is no picture, in words; `nil` while there are pictures.
    var pictureAbsence: String? {
        if let choice = cameraChoice { return choice.absence() }
        return run.withLock { run in
            guard let last = run.progressed else { return "the input has not delivered a frame yet" }
            if run.progress?.pass == .looking { return "the recording is analysed first" }
            return .now - last > Self.patience ? "the input delivers no frames" : nil
        }
    }

    /// The cameras that the run may show; `nil` for a run that shows no camera.
    package var cameraChoice: CameraChoice? {
        get { cameraState.withLock { $0.choice } }
        set { cameraState.withLock { $0.choice = newValue } }
    }

    /// Publishes that a camera was chosen, plugged in or unplugged, and that its pictures begin or end.
    package func publishCameras() {
        for property in ControlProperty.camera {
            let value = property.read(self)
            let old = cameraState.withLock { $0.published.updateValue(value, forKey: property.name) }
            if value != old ?? .null { feed.publishChange(of: property.name, to: value) }
        }
    }

    /// Executes a command.
    ///
    /// - Parameter local: Executes the commands that depend on the connection; returns `nil` for all others.
    package func execute(
        _ command: ControlCommand, local: (ControlCommand) -> ControlExecution?
    ) -> ControlExecution {
        if let execution = local(command) { return execution }
        switch command {
        case .perform(let type, let origin, let time): return perform(type, at: origin, time: time)
        case .cancel(let target, let time):
            return ControlExecution { () throws(ControlError) in try cancel(target, at: time) }
        case .set(let values):
            return ControlExecution { () throws(ControlError) in
                try set(values)
                return nil
            }
        case .get(let name): return ControlExecution { () throws(ControlError) in try get(name) }
        case .version: return .done(.success(Self.version))
        case .quit:
            quit.store(true, ordering: .relaxed)
            session.stop()
            return .done(.success(nil))
        case .photo(let time, let quality):
            // A photograph shows the instant of its request, so the instant is read before the wait.
            let instant = time ?? session.seenTime
            return .later { [self] in await photograph(at: instant, quality) }
        case .batch(let requests, let stopsAtRefusal): return batch(requests, stopsAtRefusal, local: local)
        case .observe, .observeEvents, .unobserve, .snapshot:
            return .done(.failure(ControlError(.notPossible, "this command works on the control socket only")))
        }
    }

    /// Starts all requests in order, and then waits for their replies.
    private func batch(
        _ requests: [ControlRequest], _ stopsAtRefusal: Bool, local: (ControlCommand) -> ControlExecution?
    ) -> ControlExecution {
        var started: [(request: ControlRequest, execution: ControlExecution)] = []
        for request in requests {
            let execution: ControlExecution =
                switch request.command {
                case .success(let command): execute(command, local: local)
                case .failure(let error): .done(.failure(error))
                }
            started.append((request, execution))
            if stopsAtRefusal, case .done(.failure) = execution { break }
        }
        return .later { [started] in
            var replies: [JSONValue] = []
            for (request, execution) in started {
                replies.append(.object(request.reply(await execution.result())))
            }
            return .success(.array(replies))
        }
    }

    /// The version of the program, and the versions of its formats and protocols.
    private static let version = JSONValue.object([
        "version": .text(FlourishVersion.number),
        "schemas": .object(FlourishVersion.schemas.mapValues { .integer($0) }),
        "commands": .array(ControlCommand.names.map { .text($0) }),
        "events": .array(ControlCommand.eventNames.map { .text($0) }),
    ])

    /// Captures a photograph into the run's folder, and waits for it.
    private func photograph(at time: Double?, _ quality: PhotoQualityPrioritization?) async -> Result<
        JSONValue?, ControlError
    > {
        guard let options = session.configuration.photos, options.folder != nil else {
            return .failure(
                ControlError(.notPossible, "photographs are disabled; start the run with --photos"))
        }
        var settings = PhotoSettings(options.processedFileType)
        settings.photoQualityPrioritization = quality ?? options.photoQualityPrioritization
        do throws(FlourishError) {
            let photo = try await session.capturePhoto(with: settings, at: time)
            let resolved = photo.resolvedSettings
            var fields: [String: JSONValue] = [
                "path": photo.path.map { .text($0) } ?? .null, "time": .number(photo.time),
                "photoQualityPrioritization": .text(resolved.photoQualityPrioritization.rawValue),
                "frames": .number(Double(resolved.frames)),
            ]
            if photo.isProxy { fields["degraded"] = .flag(true) }
            return .success(.object(fields))
        } catch {
            return .failure(ControlError(.failed, error))
        }
    }

    /// The time after which a reply no longer waits for a frame, since the input may be stalled.
    private static let longestWait = TimeAmount.seconds(5)

    private func perform(_ type: ReactionType, at origin: PicturePoint?, time: Double?) -> ControlExecution {
        let (replies, continuation) = AsyncStream.makeStream(of: EffectReply?.self)
        do throws(ControlError) {
            let type = try self.type(type)
            guard session.canPerformReactionEffects else {
                throw ControlError(
                    .notPossible,
                    session.reactionEffectsEnabled
                        ? "no reaction is shown: no video is running" : "no reaction is shown: reactions are disabled")
            }
            do throws(FlourishError) {
                try session.request(type, at: origin, time: time) { continuation.yield($0) }
            } catch {
                throw ControlError(.unknownName, error)
            }
        } catch {
            return .done(.failure(error))
        }
        return .later {
            let limit = NetworkThread.loop.scheduleTask(in: Self.longestWait) { _ = continuation.yield(nil) }
            defer { limit.cancel() }
            for await reply in replies { return Self.result(of: reply) }
            return .failure(ControlError(.notPossible, "no reaction is shown: the run ended"))
        }
    }

    private static func result(of reply: EffectReply?) -> Result<JSONValue?, ControlError> {
        guard let reply else { return .success(.object(["result": .text("waiting")])) }
        switch reply.outcome {
        case .cancelled: return .failure(ControlError(.notPossible, "the request was cancelled before its frame"))
        case .notShown:
            return .failure(
                ControlError(
                    .notPossible,
                    "no reaction is shown: reactions are disabled, the run ended, or too many requests wait"))
        case .started, .extended, .unchanged, .scheduled: break
        }
        var fields: [String: JSONValue] = ["result": .text(reply.outcome.rawValue)]
        fields["id"] = reply.id.map { .integer($0) }
        fields["time"] = reply.time.map { .number(($0 * 1e6).rounded() / 1e6) }
        fields["frame"] = reply.frame.map { .integer($0) }
        return .success(.object(fields))
    }

    /// Returns a reaction type if it can be shown; throws otherwise.
    func type(_ type: ReactionType) throws(ControlError) -> ReactionType {
        let known = session.availableReactionTypes
        if known.contains(type) { return type }
        throw ControlError.unknown("reaction", type.rawValue, among: known.map(\.rawValue))
    }

    private func cancel(_ target: EffectCancellation.Target, at time: Double?) throws(ControlError) -> JSONValue {
        if case .type(let type) = target { _ = try self.type(type) }
        if let time {
            guard session.cancelEffects(target, at: time) else {
                throw ControlError(.busy, "too many cancellations wait for their frames")
            }
            return .object(["result": .text(EffectReply.Outcome.scheduled.rawValue), "time": .number(time)])
        }
        let ended = session.cancelEffects(target)
        switch target {
        case .type(let type) where ended.isEmpty:
            throw ControlError(.notRunning, "no \(type.rawValue) is in progress")
        case .id(let id) where ended.isEmpty:
            throw ControlError(.notRunning, "no effect in progress has the number \(id)")
        default: break
        }
        var fields: [String: JSONValue] = ["ids": .array(ended.ids.map { .integer($0) })]
        if ended.discardedRequests > 0 { fields["discardedRequests"] = .integer(ended.discardedRequests) }
        return .object(fields)
    }

    /// Changes all properties, or none.
    private func set(_ values: [String: JSONValue]) throws(ControlError) {
        var changes: [(property: ControlProperty, value: JSONValue)] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let property = try ControlProperty.named(name, of: self)
            guard property.write != nil else { throw ControlError(.readOnly, "\(name) is read-only") }
            if let setting = property.setting, let file = session.configuration.locks.files[setting] {
                throw ControlError(
                    .locked, "\(name) cannot be set: \(file) locks \(setting) for all users of this machine")
            }
            changes.append((property, value))
        }
        for (property, value) in changes { try property.admit?(value, self) }
        let all = ControlProperty.all(of: self).filter { $0.write != nil }
        let before = all.map { $0.read(self) }
        var refusal: ControlError?
        do throws(FlourishError) {
            try session.updateSettings { settings throws(FlourishError) in
                do throws(ControlError) {
                    for (property, value) in changes { try property.write?(&settings, value, self) }
                } catch {
                    refusal = error
                    throw FlourishError(.usage, error.message)
                }
            }
        } catch {
            throw refusal ?? ControlError(.invalidValue, error)
        }
        for (property, value) in changes { property.apply?(value, self) }
        for (property, old) in zip(all, before) {
            let now = property.read(self)
            // What `apply` changed is published by its owner.
            guard now != old, property.apply == nil else { continue }
            if property.name == ControlProperty.gestureSnooze { run.withLock { $0.isSnoozed = now != .null } }
            // The remaining time of a snooze changes by itself, so it is published only if the client has set it.
            if property.name == ControlProperty.gestureSnooze, values[property.name] == nil { continue }
            feed.publishChange(of: property.name, to: now)
        }
    }

    private func get(_ name: String?) throws(ControlError) -> JSONValue {
        if let name { return try ControlProperty.named(name, of: self).read(self) }
        var all: [String: JSONValue] = [:]
        for property in ControlProperty.all(of: self) { all[property.name] = property.read(self) }
        return .object(all)
    }
}

/// The cameras of a run that shows one of them, behind the properties `camera` and `cameras`.
package struct CameraChoice: Sendable {
    /// The connected cameras: their unique names and their titles.
    let cameras: @Sendable () -> [(name: String, title: String)]
    /// The name of the camera that is shown; `nil` for the first one.
    let camera: @Sendable () -> String?
    /// The reason why there is no picture, in words; `nil` while there are pictures.
    let absence: @Sendable () -> String?
    /// Shows the camera with a name; `nil` for the first one.
    let choose: @Sendable (String?) -> Void

    package init(
        cameras: @escaping @Sendable () -> [(name: String, title: String)], camera: @escaping @Sendable () -> String?,
        absence: @escaping @Sendable () -> String?, choose: @escaping @Sendable (String?) -> Void
    ) {
        (self.cameras, self.camera, self.absence, self.choose) = (cameras, camera, absence, choose)
    }

    /// The connected cameras as a value of the control protocol.
    var list: JSONValue {
        .array(cameras().map { .object(["name": .text($0.name), "title": .text($0.title)]) })
    }
}
