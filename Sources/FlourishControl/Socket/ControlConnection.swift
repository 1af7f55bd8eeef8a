import Flourish
import NIOCore

/// One client of the control socket, which is answered line by line. It gets the next line when it has taken the
/// one before: who asks and asks but reads no answers is not heard until it has read some.
struct ControlConnection: Sendable {
    let channel: any Channel
    let handler: CommandHandler
    let snapshots: SnapshotWriter
    let rate: RateLimit

    /// Answers until the client has nothing more to ask and got what it is owed, or is gone.
    func serve(_ stream: NIOAsyncChannel<ByteBuffer, Never>) async throws {
        try await stream.executeThenClose { inbound, _ in
            try await withThrowingDiscardingTaskGroup { group in
                var lines = LineSplitter()
                var observes = false
                for try await piece in inbound {
                    try await rate.spend(piece.readableBytes / 1024).get()
                    for line in lines.add(piece.readableBytesView) {
                        try await rate.spend(1).get()
                        try await answer(line, observes: &observes) { work in group.addTask(operation: work) }
                    }
                }
            }
        }
    }

    /// Turns the client away.
    func refuse() {
        let message = "there are \(ControlServer.mostClients) clients already; try again later"
        channel.writeAndFlush(buffer(ControlRequest.refusal(message))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    /// - Parameter detach: does what takes longer, while further lines are heard.
    private func answer(
        _ line: LineSplitter.Line, observes: inout Bool, detach: (@escaping @Sendable () async throws -> Void) -> Void
    ) async throws {
        guard case .whole(let bytes) = line else {
            return try await send(ControlRequest.refusal("the line has more than \(LineSplitter.longest) bytes"))
        }
        let request = ControlRequest(line: bytes)
        switch request.command {
        case .failure(let error): try await send(request.answer(.failure(error)))
        case .success(.observe) where observes:
            try await send(request.answer(.failure(ControlError("this client observes already"))))
        case .success(.observe):
            observes = true
            try await send(request.answer(.success(.null)))
            let (snapshot, cursor) = handler.feed.join()
            try await send(snapshot)
            detach { try await handler.feed.follow(from: cursor) { try await send($0.joined(separator: "\n")) } }
        case .success(.snapshot(let path)):
            detach { try await send(request.answer(await snapshots.take(path: path))) }
        case .success(.photo(let time, let quality)):
            // Known before anything is waited for: a photograph shows the instant of its request.
            let instant = time ?? handler.session.seenTime
            detach { try await send(request.answer(await handler.photograph(at: instant, quality))) }
        case .success(let command):
            try await send(request.answer(Result { () throws(ControlError) in try handler.perform(command) }))
        }
    }

    private func send(_ line: String) async throws {
        try await channel.writeAndFlush(buffer(line)).get()
    }

    private func buffer(_ line: String) -> ByteBuffer { ByteBuffer(string: line + "\n") }
}

extension ControlRequest {
    /// An answer to what was no request at all.
    static func refusal(_ message: String) -> String {
        ControlRequest(id: nil, command: .failure(ControlError(message))).answer(.failure(ControlError(message)))
    }
}
