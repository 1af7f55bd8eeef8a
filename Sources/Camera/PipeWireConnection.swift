import Flourish
import Synchronization

/// The devices of one connection to PipeWire.
final class CameraList: Sendable {
    private let known = Mutex<[CameraDevice]>([])

    var devices: [CameraDevice] { known.withLock { $0 } }

    /// - Parameter publish: Receives a device when all its modes are known.
    func observer(_ publish: @escaping @Sendable (CameraDevice) -> Void) -> PipeWireSession.Observer {
        var observer = PipeWireSession.Observer()
        observer.added = { device in self.known.withLock { $0.append(device) } }
        observer.offered = { id, mode in
            self.known.withLock { devices in
                guard let index = devices.firstIndex(where: { $0.id == id }) else { return }
                devices[index].modes.append(mode)
            }
        }
        observer.ready = { id in
            if let device = self.devices.first(where: { $0.id == id }) { publish(device) }
        }
        observer.removed = { id in self.known.withLock { $0.removeAll { $0.id == id } } }
        return observer
    }
}

/// A connection to PipeWire, with the real camera while it is open, and with our camera if there is one.
///
/// Used by the run's thread; PipeWire's thread only fills the inbox.
final class PipeWireConnection {
    private let session: PipeWireSession
    private let inbox: CameraInbox
    private var input: CameraStream?
    private var microphone: MicrophoneStream?
    private var output: CameraStream?

    var isReading: Bool { input != nil }

    init(_ inbox: CameraInbox) throws(FlourishError) {
        self.inbox = inbox
        inbox.clear()
        var observer = CameraList().observer { inbox.send(.event(.added($0))) }
        let removed = observer.removed
        observer.removed = { id in
            removed(id)
            inbox.send(.event(.removed(id)))
        }
        observer.lost = { inbox.send(.event(.lost($0))) }
        session = try PipeWireSession(observer)
    }

    /// Creates our camera, which exists as long as the connection.
    func provide(
        _ name: String, modes: [CameraMode], _ observer: CameraStream.Observer
    ) throws(FlourishError) -> CameraStream {
        let stream = try session.provide(name, modes: modes, observer)
        output = stream
        return stream
    }

    func open(_ device: CameraDevice, for picture: CameraMode) throws(FlourishError) {
        var observer = CameraStream.Observer()
        observer.changed = { [inbox] state in
            if case .failed(let reason) = state { inbox.send(.event(.failed(reason))) }
        }
        observer.arrived = { [inbox] mode, bytes in inbox.put(CapturedPicture(mode: mode, bytes: bytes)) }
        // A camera that lists no mode may still accept the usual ones.
        let usual = [CameraFormat.yuy2, .i420, .nv12, .mjpg].map { format in
            var mode = picture
            mode.format = format
            return mode
        }
        let modes = CameraMode.best(of: device.modes, for: picture).map { [$0] } ?? usual
        input = try session.read(device, as: modes, observer)
    }

    /// Opens a microphone, until the camera is closed.
    ///
    /// - Parameter failed: Receives the reason if it fails later.
    func open(_ device: Microphone, failed: @escaping @Sendable (String) -> Void) throws(FlourishError) {
        microphone = try session.read(
            device, MicrophoneStream.Observer(failed: failed, arrived: { device.add($0) }))
    }

    func closeCamera() {
        microphone?.close()
        microphone = nil
        input?.close()
        input = nil
        _ = inbox.dequeuePicture()
    }

    func close() {
        closeCamera()
        output?.close()
        session.close()
    }
}
