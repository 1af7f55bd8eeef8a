import Flourish
import NIOCore
import NIOPosix
import Synchronization

/// Serves one client of the control socket, on the network thread. Each request and each reply is one line.
///
/// Back-pressure: the server stops reading from a client that does not read its replies.
struct ControlConnection: Sendable {
    let channel: any NIOCore.Channel
    let handler: CommandHandler
    let snapshots: SnapshotWriter
    let rate: RateLimit

    /// The maximum number of replies of a client that wait for a frame, a file or a photograph.
    private static let maximumPending = 64
    /// The interval at which observed properties are compared.
    private static let propertyInterval = Duration.milliseconds(100)

    /// Serves the client until it has closed the connection, or has closed its sending side and received all replies.
    func serve(_ stream: NIOAsyncChannel<ByteBuffer, Never>) async throws {
        let (subscriptions, pending) = (Subscriptions(), PendingReplies(maximum: Self.maximumPending))
        try await stream.executeThenClose { inbound, _ in
            try await withThrowingDiscardingTaskGroup { group in
                var lines = LineSplitter()
                for try await piece in inbound {
                    try await rate.spend(piece.readableBytes / 1024).get()
                    for line in lines.add(piece.readableBytesView) {
                        try await rate.spend(1).get()
                        try await answer(line, subscriptions, pending) { work in group.addTask(operation: work) }
                    }
                }
            }
        }
    }

    /// Refuses the client with a message.
    func refuse() {
        let message = "the limit of \(ControlServer.maximumClients) clients is reached; try again later"
        channel.writeAndFlush(buffer(ControlRequest.refusal(.busy, message))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    /// - Parameter detach: Runs work that takes long, while further lines are processed.
    private func answer(
        _ line: LineSplitter.Line, _ subscriptions: Subscriptions, _ pending: PendingReplies,
        detach: (@escaping @Sendable () async throws -> Void) -> Void
    ) async throws {
        guard case .whole(let bytes) = line else {
            return try await send(
                ControlRequest.refusal(.notARequest, "the line is longer than \(LineSplitter.longest) bytes"))
        }
        let request = ControlRequest(line: bytes)
        var execution = ControlExecution.done(.success(nil))
        // Lines that follow the reply.
        var news: [String] = []
        switch request.command {
        case .failure(let error): execution = .done(.failure(error))
        case .success(let command):
            execution = handler.execute(command) { command in
                switch command {
                case .observe, .observeEvents, .unobserve:
                    ControlExecution { () throws(ControlError) in
                        news += try subscribe(command, subscriptions)
                        return nil
                    }
                case .snapshot(let path): .later { [snapshots] in await snapshots.snapshot(path: path) }
                default: nil
                }
            }
        }
        switch execution {
        case .done(let result):
            try await send(([request.answer(result)] + news).joined(separator: "\n"))
        case .later(let wait):
            // A batch replies later, but the lines of its subscriptions are sent at once.
            if !news.isEmpty { try await send(news.joined(separator: "\n")) }
            await pending.begin()
            detach {
                defer { pending.end() }
                try await send(request.answer(await wait()))
            }
        }
        follow(subscriptions, detach: detach)
    }

    /// Changes the subscriptions.
    ///
    /// - Returns: The lines that a new subscription begins with: the present state, or the property's value.
    private func subscribe(_ command: ControlCommand, _ subscriptions: Subscriptions) throws(ControlError) -> [String] {
        switch command {
        case .observeEvents(let names):
            let (state, cursor) = handler.feed.join()
            guard subscriptions.observe(names, from: cursor) else {
                throw ControlError(.notPossible, "this client observes events already; unobserve them first")
            }
            return state.filter { names?.contains($0.event) ?? true }.map(\.text)
        case .observe(let name):
            let value = try ControlProperty.named(name, of: handler).read(handler)
            subscriptions.observe(name, from: value)
            return [handler.feed.change(of: name, to: value).text]
        case .unobserve(let name):
            if let name { _ = try ControlProperty.named(name, of: handler) }
            guard subscriptions.unobserve(name) else {
                throw ControlError(.notObserved, "this client does not observe \(name ?? "events")")
            }
        default: break
        }
        return []
    }

    /// Starts the tasks that send observed events and property changes, unless they run already.
    private func follow(
        _ subscriptions: Subscriptions, detach: (@escaping @Sendable () async throws -> Void) -> Void
    ) {
        let start = subscriptions.start()
        if let cursor = start.events {
            detach {
                try await handler.feed.follow(from: cursor) { lines in
                    let wanted = subscriptions.wanted(lines)
                    if !wanted.isEmpty { try await send(wanted.joined(separator: "\n")) }
                }
            }
        }
        if start.properties {
            detach {
                while !handler.feed.isClosed {
                    try await Task.sleep(for: Self.propertyInterval)
                    try await rate.spend(1).get()
                    let changes = subscriptions.changes(handler).map { handler.feed.change(of: $0, to: $1).text }
                    if !changes.isEmpty { try await send(changes.joined(separator: "\n")) }
                }
            }
        }
    }

    private func send(_ line: String) async throws {
        try await channel.writeAndFlush(buffer(line)).get()
    }

    private func buffer(_ line: String) -> ByteBuffer { ByteBuffer(string: line + "\n") }
}

/// The events and properties that a client observes.
private final class Subscriptions: Sendable {
    private struct State {
        /// The position of the first line that is sent; `nil` if no events are observed.
        var first: EventFeed.Cursor?
        /// The names of the observed events; all if `nil`.
        var events: Set<String>?
        /// The observed properties with the values sent last.
        var properties: [String: JSONValue] = [:]
        var isStarted = (events: false, properties: false)
    }

    private let state = Mutex(State())

    /// Observes events.
    ///
    /// - Returns: `false` if events are observed already.
    func observe(_ names: Set<String>?, from cursor: EventFeed.Cursor) -> Bool {
        state.withLock { state in
            guard state.first == nil else { return false }
            (state.first, state.events) = (cursor, names)
            return true
        }
    }

    /// Observes a property.
    func observe(_ property: String, from value: JSONValue) { state.withLock { $0.properties[property] = value } }

    /// Ends the subscription to a property, or to events if `nil`.
    ///
    /// - Returns: `false` if there is none.
    func unobserve(_ property: String?) -> Bool {
        state.withLock { state in
            if let property { return state.properties.removeValue(forKey: property) != nil }
            defer { state.first = nil }
            return state.first != nil
        }
    }

    /// Returns which kinds of subscriptions have begun since the last call; for events, the position of the first line
    /// after the reply. For each kind, this is reported once.
    func start() -> (events: EventFeed.Cursor?, properties: Bool) {
        state.withLock { state in
            let start = (
                events: state.isStarted.events ? nil : state.first,
                properties: !state.properties.isEmpty && !state.isStarted.properties
            )
            state.isStarted = (
                state.isStarted.events || start.events != nil, state.isStarted.properties || start.properties
            )
            return start
        }
    }

    /// Returns the lines that the client observes. The changes of observed properties are left out, because
    /// ``changes(_:)`` delivers them.
    func wanted(_ lines: [EventFeed.Line]) -> [String] {
        state.withLock { state in
            guard let first = state.first?.next else { return [] }
            return lines.filter { line in
                (line.index ?? first) >= first && state.events?.contains(line.event) ?? true
                    && line.property.map { state.properties[$0] == nil } ?? true
            }.map(\.text)
        }
    }

    /// Returns the observed properties that changed, with their values.
    func changes(_ handler: CommandHandler) -> [(name: String, value: JSONValue)] {
        let names = state.withLock { $0.properties.keys.sorted() }
        if names.isEmpty { return [] }
        var changes: [(name: String, value: JSONValue)] = []
        for property in ControlProperty.all(of: handler) where names.contains(property.name) {
            let value = property.read(handler)
            let isNew = state.withLock { state in
                guard let old = state.properties[property.name], old != value else { return false }
                state.properties[property.name] = value
                return true
            }
            if isNew { changes.append((property.name, value)) }
        }
        return changes
    }
}

/// Limits the number of pending replies of a client, such as those that wait for a frame. At the limit, the client's
/// further lines wait.
private final class PendingReplies: Sendable {
    private struct State {
        var left: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(maximum: Int) { state = Mutex(State(left: maximum)) }

    /// Begins a reply; waits until the number of pending replies is below the limit.
    func begin() async {
        await withCheckedContinuation { continuation in
            let begins = state.withLock { state in
                if state.left > 0 {
                    state.left -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if begins { continuation.resume() }
        }
    }

    /// Ends a reply, and begins the one that waited longest.
    func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.left += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

/// Splits input into lines, with memory for at most one line of the maximum length.
struct LineSplitter {
    /// The maximum length of a line, in bytes without its newline.
    static let longest = 64 * 1024

    /// A whole line, or a line that exceeds the limit.
    enum Line: Equatable {
        case whole([UInt8])
        case tooLong
    }

    private var rest: [UInt8] = []
    /// True if the rest of an oversized line is skipped.
    private var isSkipping = false

    /// Adds a piece of input.
    ///
    /// - Returns: The lines that it completes. An oversized line is reported at once, and its rest is dropped.
    mutating func add(_ piece: ByteBufferView) -> [Line] {
        var lines: [Line] = []
        var parts = piece.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let last = parts.removeLast()
        for part in parts {
            if isSkipping {
                isSkipping = false
            } else {
                let line = rest + part
                lines.append(line.count > Self.longest ? .tooLong : .whole(line))
            }
            rest = []
        }
        if !isSkipping {
            rest += last
            if rest.count > Self.longest {
                (rest, isSkipping) = ([], true)
                lines.append(.tooLong)
            }
        }
        return lines
    }
}
