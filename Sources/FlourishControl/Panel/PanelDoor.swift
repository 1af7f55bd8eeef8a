import Flourish
import Synchronization
import Platform

/// The panel's front door: nobody gets through to the server behind it whose first line does not hold the
/// token. So whatever strangers send, however much, slowly or on how many connections, costs a few
/// kilobytes, and the server's memory and the process's descriptors are out of their reach.
final class PanelDoor: Sendable {
    /// How many may be at the door or inside at once; each window of a browser takes a few.
    static let mostVisits = 96

    let address: PanelAddress
    private let wake: WakePipe
    private let sign = Sign()
    private let thread: Mutex<StageThread?>

    /// Opens.
    ///
    /// - Parameter backend: the path of the Unix socket on which the server listens.
    /// - Throws: ``FlourishError/Code/outputUnavailable`` where the address cannot be used.
    init(address: PanelAddress, token: String, backend: String) throws(FlourishError) {
        let bound: (port: UInt16, descriptor: Int32)
        switch LocalSocket.listening(on: address) {
        case .success(let listening): bound = listening
        case .failure(let failure):
            throw FlourishError(
                .outputUnavailable,
                "\(address.authority): the panel cannot be served there (\(failure.message)); choose another --panel address"
            )
        }
        guard let wake = WakePipe() else {
            _ = LocalSocket(owning: bound.descriptor)
            throw FlourishError(.unavailable, "the panel: no pipe can be made (\(systemMessage(errno)))")
        }
        self.wake = wake
        self.address = PanelAddress(host: address.host, port: bound.port)
        let gate = PanelGuard(token: token, address: self.address)
        thread = Mutex(
            StageThread { [sign] in
                PanelPorter(bound.descriptor, gate: gate, backend: backend, wake: wake).run { sign.isClosed }
            })
    }

    /// Closes, and ends all connections.
    func close() {
        sign.close()
        wake.ring()
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
    }

    /// Whether the door is closed.
    private final class Sign: Sendable {
        private let flag = Atomic(false)
        var isClosed: Bool { flag.load(ordering: .acquiring) }
        func close() { flag.store(true, ordering: .releasing) }
    }
}
