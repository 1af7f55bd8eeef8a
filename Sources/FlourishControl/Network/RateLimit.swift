import NIOCore
import Synchronization

/// Limits the work that all clients together can cause, so that floods of requests do not take processor time from the
/// video.
///
/// The limit is a token bucket. One unit is about 20 µs of work: a line or a kilobyte of input.
final class RateLimit: Sendable {
    /// The number of units in an interval, which gives 3200 a second.
    private static let units = 64
    private static let interval = TimeAmount.milliseconds(20)

    private struct State {
        var left = RateLimit.units
        /// The end of the interval.
        var end = NIODeadline.uptimeNanoseconds(0)
        /// The waiting requests, oldest first.
        var waiting: [(units: Int, promise: EventLoopPromise<Void>)] = []
    }

    private let state = Mutex(State())
    private let loop: any EventLoop

    init(loop: any EventLoop = NetworkThread.loop) { self.loop = loop }

    /// Spends some units.
    ///
    /// - Returns: A future that succeeds when the units are available. The future succeeds at once unless clients
    ///   exceed the limit.
    func spend(_ units: Int) -> EventLoopFuture<Void> {
        let now = NIODeadline.now()
        return state.withLock { state in
            if state.waiting.isEmpty {
                refill(&state, now: now)
                if state.left > 0 {
                    state.left -= units
                    return loop.makeSucceededVoidFuture()
                }
                loop.scheduleTask(deadline: state.end) { self.serveWaiting() }
            }
            let promise = loop.makePromise(of: Void.self)
            state.waiting.append((units, promise))
            return promise.futureResult
        }
    }

    /// Begins the next interval if the last one is over. Units that were overspent are subtracted.
    private func refill(_ state: inout State, now: NIODeadline) {
        guard now >= state.end else { return }
        state.left = min(state.left, 0) + Self.units
        state.end = now + Self.interval
    }

    private func serveWaiting() {
        let now = NIODeadline.now()
        let served = state.withLock { state in
            refill(&state, now: now)
            var count = 0
            while state.left > 0, count < state.waiting.count {
                state.left -= state.waiting[count].units
                count += 1
            }
            let served = state.waiting.prefix(count).map(\.promise)
            state.waiting.removeFirst(count)
            if !state.waiting.isEmpty { loop.scheduleTask(deadline: state.end) { self.serveWaiting() } }
            return served
        }
        for promise in served { promise.succeed() }
    }
}

/// Makes a listener accept connections no faster than the rate limit allows.
final class AcceptRateHandler: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = Never

    /// The cost of a connection over its whole life, in units.
    private static let cost = 4

    private let limit: RateLimit

    init(_ limit: RateLimit) { self.limit = limit }

    func read(context: ChannelHandlerContext) {
        limit.spend(Self.cost).assumeIsolated().whenSuccess { context.read() }
    }
}
