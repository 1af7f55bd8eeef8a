import Platform

/// The thread at the panel's door.
final class PanelPorter {
    private let listener: LocalSocket
    private let gate: PanelGuard
    private let backend: String
    private let wake: WakePipe
    private var visits: [PanelVisit] = []
    private var budget = WorkBudget()

    /// - Parameter listener: a listening socket's descriptor, which is taken over.
    init(_ listener: Int32, gate: PanelGuard, backend: String, wake: WakePipe) {
        self.listener = LocalSocket(owning: listener)
        self.gate = gate
        self.backend = backend
        self.wake = wake
    }

    /// Lets people in until the door is closed.
    func run(until isClosed: () -> Bool) {
        while !isClosed() {
            let wait = budget.wait(now: .now)
            let isHearing = !budget.isSpent
            var entries = self.entries(isHearing: isHearing)
            // Those who say nothing are sent away after a while.
            let tick: Int32 = visits.contains { !$0.isInside } ? 500 : -1
            let count = unsafe poll(&entries, nfds_t(entries.count), wait >= 0 ? wait : tick)
            guard count >= 0 || errno == EINTR else { return }
            wake.silence()
            serve(entries)
            if isHearing, entries[1].revents != 0 { accept() }
            let now = ContinuousClock.now
            visits.removeAll { $0.isOver(now: now) }
        }
    }

    /// What to wait for: the pipe, the listener, then both sides of each visit. Strangers are not heard while
    /// the budget is spent; whoever is inside is.
    private func entries(isHearing: Bool) -> [pollfd] {
        var entries = [
            pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isHearing ? listener.descriptor : -1, events: Int16(POLLIN), revents: 0),
        ]
        for visit in visits {
            let events = visit.events
            let isHeard = isHearing || visit.isInside
            entries.append(pollfd(fd: isHeard ? visit.visitor.descriptor : -1, events: events.visitor, revents: 0))
            let server = events.server == 0 ? nil : visit.server?.socket.descriptor
            entries.append(pollfd(fd: server ?? -1, events: events.server, revents: 0))
        }
        return entries
    }

    private func serve(_ entries: [pollfd]) {
        for (index, visit) in visits.enumerated() {
            let (visitor, server) = (entries[2 + 2 * index].revents, entries[3 + 2 * index].revents)
            guard visitor != 0 || server != 0 else { continue }
            let count = visit.serve { admit($0) }
            if !visit.isInside { budget.spend(1 + count / 1024) }
            // Nobody is there any more who could read.
            if Int32(visitor) & (POLLHUP | POLLERR | POLLNVAL) != 0 { visit.hangUp() }
        }
    }

    /// A way to the server for who has the token.
    private func admit(_ line: ArraySlice<UInt8>) -> Int32? {
        guard gate.admits(line), let way = LocalSocket(), way.connect(to: backend) == 0 else { return nil }
        return fcntl(way.descriptor, F_DUPFD_CLOEXEC, 0)
    }

    private func accept() {
        while let visitor = budget.accept(at: listener.descriptor) {
            guard visits.count < PanelDoor.mostVisits else { continue }
            visits.append(PanelVisit(visitor, now: .now))
        }
    }
}
