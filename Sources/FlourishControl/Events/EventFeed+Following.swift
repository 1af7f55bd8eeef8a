import NIOCore

extension EventFeed {
    /// Hands on what is published until the feed is closed or the task is cancelled.
    ///
    /// - Parameters:
    ///   - cursor: from ``join()``.
    ///   - interval: how often `deliver` is called at least, with no lines where there are none; never without
    ///     lines if `nil`.
    ///   - deliver: takes some lines; while it does, newer ones wait in the feed.
    func follow(
        from cursor: Cursor, interval: TimeAmount? = nil, _ deliver: ([String]) async throws -> Void
    ) async throws {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listener = listen { wake.yield() }
        defer { ignore(listener) }
        let ticks = interval.map { interval in
            NetworkThread.loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in wake.yield() }
        }
        defer { ticks?.cancel() }
        var cursor = cursor
        wake.yield()
        for await _ in wakes {
            let isOver = isClosed
            var lines = read(from: &cursor)
            while !lines.isEmpty {
                try await deliver(lines)
                lines = read(from: &cursor)
            }
            if isOver { return }
            if interval != nil { try await deliver([]) }
        }
    }
}
