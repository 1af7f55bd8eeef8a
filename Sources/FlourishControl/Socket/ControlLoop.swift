import Flourish
import Platform

/// The server's thread: waits for whatever happens first, and does a little of it at a time.
///
/// Used by that one thread.
final class ControlLoop {
    /// How long readers have at the end to take what they have not yet taken.
    private static let farewell = Duration.milliseconds(250)

    private let file: ControlSocketFile
    private let desk: ControlDesk
    private let wake: WakePipe
    private let mailbox: ControlMailbox
    private let pictures: SnapshotDesk
    private var connections: [ControlConnection] = []
    private var nextID = 0
    private var budget = WorkBudget()

    init(file: ControlSocketFile, desk: ControlDesk, wake: WakePipe, mailbox: ControlMailbox) {
        self.file = file
        self.desk = desk
        self.wake = wake
        self.mailbox = mailbox
        pictures = SnapshotDesk(session: desk.session)
    }

    /// Runs until the mailbox is closed.
    func run() {
        var deadline: ContinuousClock.Instant?
        while true {
            let now = ContinuousClock.now
            if let deadline {
                // Whoever has not read by now does not read at all.
                if now >= deadline || !connections.contains(where: \.awaitsSomething) { return }
            }
            let wait = budget.wait(now: now)
            let isHearing = deadline == nil && !budget.isSpent
            var entries = self.entries(isHearing: isHearing)
            let longest: Int32 = deadline == nil ? wait : 20
            let count = unsafe poll(&entries, nfds_t(entries.count), longest)
            guard count >= 0 || errno == EINTR else { return }
            wake.silence()
            if takeMail(), deadline == nil { deadline = ContinuousClock.now + Self.farewell }
            if isHearing, entries[1].revents != 0 { accept() }
            serve(entries.dropFirst(2))
        }
    }

    /// What to wait for: the pipe, the listener, then the connections in their order.
    private func entries(isHearing: Bool) -> [pollfd] {
        var entries = [
            pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isHearing ? file.socket.descriptor : -1, events: Int16(POLLIN), revents: 0),
        ]
        for connection in connections {
            var events: Int16 = 0
            if isHearing, connection.wantsToRead { events |= Int16(POLLIN) }
            if connection.wantsToWrite { events |= Int16(POLLOUT) }
            // A client that is gone would wake this thread again and again while nobody may read.
            let isDeaf = events == 0 && !isHearing
            entries.append(pollfd(fd: isDeaf ? -1 : connection.socket.descriptor, events: events, revents: 0))
        }
        return entries
    }

    private func accept() {
        while let socket = budget.accept(at: file.socket.descriptor) {
            let connection = ControlConnection(socket, id: nextID)
            nextID += 1
            guard connections.count < ControlServer.mostClients else {
                connection.send(
                    ControlRequest.refusal("there are \(ControlServer.mostClients) clients already; try again later"))
                connection.write(from: desk.feed)
                continue
            }
            connections.append(connection)
        }
    }

    /// Reads from and writes to those for whom it is time.
    private func serve(_ entries: ArraySlice<pollfd>) {
        for (connection, entry) in zip(connections, entries) {
            let happened = Int32(entry.revents)
            let isGone = happened & (POLLHUP | POLLERR | POLLNVAL) != 0
            if connection.wantsToRead, happened & POLLIN != 0 || isGone, !budget.isSpent {
                let count = connection.read { hear($0, from: connection) }
                budget.spend(1 + count / 1024)
            } else if isGone, connection.inputEnded || happened & POLLIN == 0 {
                connection.hangUp()
            }
            connection.write(from: desk.feed)
        }
        connections.removeAll(where: \.isOver)
        // Whoever was served first is last the next time: nobody can use up what all may do.
        if let first = connections.first {
            connections.removeFirst()
            connections.append(first)
        }
    }

    private func hear(_ reading: ControlConnection.Reading, from connection: ControlConnection) {
        budget.spend(1)
        guard case .line(let line) = reading else {
            connection.send(ControlRequest.refusal("the line has more than \(ControlConnection.longestLine) bytes"))
            return
        }
        let request = ControlRequest(line: line)
        switch request.command {
        case .failure(let error): connection.send(request.answer(.failure(error)))
        case .success(.observe): observe(request, for: connection)
        case .success(.snapshot(let path)):
            connection.pendingAnswers += 1
            pictures.take(path: path) { [mailbox, id = connection.id] result in
                mailbox.post(request.answer(result), to: id)
            }
        case .success(let command):
            connection.send(request.answer(Result { () throws(ControlError) in try desk.perform(command) }))
        }
    }

    /// The answer, the effects in progress, and from now on every event.
    private func observe(_ request: ControlRequest, for connection: ControlConnection) {
        guard connection.place == nil else {
            connection.send(request.answer(.failure(ControlError("this client observes already"))))
            return
        }
        connection.send(request.answer(.success(.null)))
        let (snapshot, place) = desk.feed.join()
        connection.send(snapshot)
        connection.place = place
    }

    /// Passes answers on; says whether the server is to end.
    private func takeMail() -> Bool {
        let mail = mailbox.take()
        for (id, line) in mail.answers {
            guard let connection = connections.first(where: { $0.id == id }) else { continue }
            connection.pendingAnswers -= 1
            connection.send(line)
        }
        return mail.isClosed
    }
}

extension ControlRequest {
    /// An answer to what was no request at all.
    static func refusal(_ message: String) -> String {
        ControlRequest(id: nil, command: .failure(ControlError(message))).answer(.failure(ControlError(message)))
    }
}
