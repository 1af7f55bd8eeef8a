import Platform

/// One connection at the panel's door: at first what it sent until its first line is complete, then a
/// passage to the server behind the door and back.
///
/// Used by the door's thread only.
final class PanelVisit {
    /// How long a first line may be, in bytes, and how long it may take.
    private static let longestLine = 2048
    private static let patience = Duration.seconds(5)
    /// How much is under way in each direction.
    private static let piece = 16 * 1024

    let visitor: LocalSocket
    private(set) var server: SharedSocket?
    private let deadline: ContinuousClock.Instant
    /// What came from one side and waits for the other.
    private var inward: [UInt8] = [], outward: [UInt8] = []
    private var visitorEnded = false, serverEnded = false, toldEnd = false, isBroken = false

    init(_ visitor: consuming LocalSocket, now: ContinuousClock.Instant) {
        visitor.makeNonblocking()
        self.visitor = visitor
        deadline = now + Self.patience
    }

    var isInside: Bool { server != nil }

    func isOver(now: ContinuousClock.Instant) -> Bool {
        if isBroken { return true }
        let isDone = outward.isEmpty && (serverEnded || visitorEnded && !isInside)
        return isDone || !isInside && now > deadline
    }

    /// What to wait for, on the visitor's side and on the server's.
    var events: (visitor: Int16, server: Int16) {
        var (a, b): (Int16, Int16) = (0, 0)
        if !visitorEnded, !serverEnded, inward.isEmpty || server == nil { a |= Int16(POLLIN) }
        if !outward.isEmpty { a |= Int16(POLLOUT) }
        if !serverEnded, outward.isEmpty { b |= Int16(POLLIN) }
        if !inward.isEmpty { b |= Int16(POLLOUT) }
        return (a, b)
    }

    /// Moves what can be moved.
    ///
    /// - Parameter admit: opens the way for a first line; `nil` for a stranger.
    /// - Returns: how many bytes came from the visitor.
    func serve(admit: (ArraySlice<UInt8>) -> Int32?) -> Int {
        var count = 0
        if !visitorEnded, !serverEnded, inward.isEmpty || server == nil {
            switch read(visitor) {
            case .some(let bytes) where bytes.isEmpty: visitorEnded = true
            case .some(let bytes):
                count = bytes.count
                inward += bytes
            case nil: break
            }
        }
        if server == nil { knock(admit) }
        if server != nil { pass() }
        write(&outward, to: visitor)
        return count
    }

    /// Lets somebody in whose first line is right, and answers everybody else.
    private func knock(_ admit: (ArraySlice<UInt8>) -> Int32?) {
        guard !serverEnded else { return }
        if let end = inward.firstIndex(of: UInt8(ascii: "\n")), end <= Self.longestLine {
            if let descriptor = admit(inward[..<end]) {
                server = SharedSocket(descriptor)
            } else {
                turnAway()
            }
        } else if inward.count > Self.longestLine {
            turnAway()
        }
    }

    private func turnAway() {
        let text = "there is nothing here; use the whole address that flourish printed\n"
        outward +=
            """
            HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(text.utf8.count)\r
            Connection: close\r\n\r\n\(text)
            """.utf8
        inward = []
        serverEnded = true
    }

    private func pass() {
        guard let server else { return }
        write(&inward, to: server.socket)
        if visitorEnded, inward.isEmpty, !toldEnd {
            toldEnd = true
            shutdown(server.socket.descriptor, Int32(SHUT_WR))
        }
        guard !serverEnded, outward.isEmpty else { return }
        switch read(server.socket) {
        case .some(let bytes) where bytes.isEmpty: serverEnded = true
        case .some(let bytes): outward = bytes
        case nil: break
        }
    }

    /// Notes that the other side is gone.
    func hangUp() { isBroken = true }

    private func read(_ socket: borrowing LocalSocket) -> [UInt8]? {
        let bytes = socket.read(most: Self.piece)
        if bytes == nil, errno != EAGAIN, errno != EWOULDBLOCK { isBroken = true }
        return bytes
    }

    private func write(_ bytes: inout [UInt8], to socket: borrowing LocalSocket) {
        guard !bytes.isEmpty else { return }
        guard let count = socket.write(bytes[...]) else {
            if errno != EAGAIN && errno != EWOULDBLOCK { isBroken = true }
            return
        }
        bytes.removeFirst(count)
    }
}

/// A socket that may be there or not.
final class SharedSocket {
    let socket: LocalSocket

    /// Takes an open descriptor over.
    init(_ descriptor: Int32) {
        socket = LocalSocket(owning: descriptor)
        socket.makeNonblocking()
    }
}
