import Flourish
import Synchronization

/// The cameras that a run may show, and the one that the user asks for. Any thread may use it.
public final class CameraSelection: Sendable {
    private struct State {
        var wanted: String?
        var devices: [CameraDevice] = []
        var absence: String?
    }

    private let state: Mutex<State>
    private let inbox: CameraInbox
    /// Called on any thread after a camera was chosen, plugged in or unplugged, and when its pictures begin or end.
    private let changed: @Sendable () -> Void

    init(_ wanted: String?, inbox: CameraInbox, changed: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(wanted: wanted))
        (self.inbox, self.changed) = (inbox, changed)
    }

    /// The connected cameras, without our own. Empty before the run has connected to PipeWire.
    public var cameras: [CameraDevice] { state.withLock { $0.devices } }

    /// The name of the camera that is shown; as given, if no camera matches it; `nil` for the first camera.
    public var camera: String? {
        state.withLock { state in
            state.wanted.map { wanted in state.devices.first { $0.matches(wanted) }?.name ?? wanted }
        }
    }

    /// The reason why there is no picture, in words; `nil` while there are pictures.
    public var absence: String? { state.withLock { $0.absence } }

    /// Shows another camera: by its node's name or a part of its title; `nil` for the first one.
    public func choose(_ camera: String?) {
        state.withLock { $0.wanted = camera }
        inbox.send(.event(.wanted(camera)))
        changed()
    }

    /// The camera as it was asked for.
    var wanted: String? { state.withLock { $0.wanted } }

    /// Adopts the connected cameras, and the reason why there is no picture.
    func update(_ devices: [CameraDevice], absence: String?) {
        let isNew = state.withLock { state in
            defer { (state.devices, state.absence) = (devices, absence) }
            return state.devices != devices || state.absence != absence
        }
        if isNew { changed() }
    }
}
