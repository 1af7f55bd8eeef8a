import Platform

/// One client of the control socket: what it sent that is not yet a line, and what waits for it.
///
/// Used by the server's thread only.
final class ControlConnection {
    /// The longest line that is read, in bytes.
    static let longestLine = 64 * 1024
    /// How much is written ahead for a reader who is slow; what follows stays in the feed's ring.
    private static let writeAhead = 16 * 1024
    /// A client who asks and asks but reads no answers is not heard until it has read some.
    private static let mostUnread = 256 * 1024

    let socket: LocalSocket
    /// Tells connections apart, also after the descriptor was used again.
    let id: Int
    /// Its place in the feed, once it observes.
    var place: EventFeed.Place?
    /// Answers that others are working on.
    var pendingAnswers = 0
    private var input: [UInt8] = []
    private var skipsLine = false
    private var output: [UInt8] = []
    private var written = 0
    private(set) var inputEnded = false
    private(set) var isBroken = false

    init(_ socket: consuming LocalSocket, id: Int) {
        socket.makeNonblocking()
        self.socket = socket
        self.id = id
    }

    private var unread: Int { output.count - written }
    var wantsToRead: Bool { !inputEnded && unread < Self.mostUnread }
    var wantsToWrite: Bool { unread > 0 }

    /// Whether it has not yet got what is its own.
    var awaitsSomething: Bool { wantsToWrite || pendingAnswers > 0 }

    /// Whether nothing more can come of it.
    var isOver: Bool {
        isBroken || inputEnded && place == nil && pendingAnswers == 0 && unread == 0
    }

    /// What was read: a whole line, or that one was too long.
    enum Reading {
        case line(ArraySlice<UInt8>)
        case tooLong
    }

    /// Reads what is there, a piece of it.
    ///
    /// - Parameter handle: called for each line.
    /// - Returns: how many bytes came.
    func read(_ handle: (Reading) -> Void) -> Int {
        guard let bytes = socket.read(most: 8 * 1024) else {
            if errno != EAGAIN && errno != EWOULDBLOCK { isBroken = true }
            return 0
        }
        guard !bytes.isEmpty else {
            inputEnded = true
            input = []
            return 0
        }
        input += bytes
        var start = 0
        while let end = input[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = input[start..<end]
            start = end + 1
            if skipsLine {
                skipsLine = false
            } else if !line.allSatisfy({
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t")
            }) {
                handle(line.count > Self.longestLine ? .tooLong : .line(line))
            }
        }
        input.removeFirst(start)
        if skipsLine {
            input = []
        } else if input.count > Self.longestLine {
            // Told at once; the rest of the line is thrown away as it comes.
            input = []
            skipsLine = true
            handle(.tooLong)
        }
        return bytes.count
    }

    /// Adds a line for the client.
    func send(_ line: String) {
        output += line.utf8
        output.append(UInt8(ascii: "\n"))
    }

    /// Writes what fits, and takes events from the feed as long as they fit too.
    func write(from feed: EventFeed) {
        repeat {
            if place != nil, unread < Self.writeAhead {
                for line in feed.read(from: &place!) { send(line) }
            }
            guard unread > 0 else { return }
            guard let count = socket.write(output[written...]) else {
                if errno != EAGAIN && errno != EWOULDBLOCK { isBroken = true }
                return
            }
            written += count
            if written == output.count {
                output.removeAll(keepingCapacity: output.capacity <= Self.mostUnread)
                written = 0
            } else if written > Self.mostUnread {
                output.removeFirst(written)
                written = 0
            }
        } while unread == 0 && place != nil
    }

    /// Notes that the other side is gone.
    func hangUp() { isBroken = true }
}
