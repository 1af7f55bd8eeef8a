/// Decides when the real camera is open, and what readers see.
///
/// The state machine does no work: it receives what happened, with the time, and returns what to do. Times are seconds of any clock that does not
/// go back.
///
/// - The camera is open only while a program reads.
/// - A camera that delivers no picture for ``patience`` seconds, or fails, is closed and tried again after ``pause`` seconds.
/// - Cameras that Flourish offers are read only on request. Two of them would otherwise read each other.
/// - Without pictures, readers see a still card with the reason.
struct CameraPolicy {
    enum Event: Equatable {
        /// A program reads our camera, or none does any more.
        case readers(Bool)
        case added(CameraDevice)
        case removed(UInt32)
        /// The user asks for another camera; `nil` for the first one.
        case wanted(String?)
        /// The open camera delivered a picture.
        case picture
        /// The open camera failed.
        case failed(String)
        /// The connection to PipeWire is lost: all devices and readers are gone.
        case lost(String)
    }

    enum Command: Equatable {
        case open(CameraDevice)
        case close
        /// Show a card with this text until the next picture.
        case card(String)
        /// Report a line to the user.
        case report(String)
    }

    /// The longest time without a picture of an open camera. USB cameras need up to two seconds for the first one.
    static let patience = 3.0
    /// The time between two attempts.
    static let pause = 1.0

    /// The camera that the user asks for; `nil` for the first one.
    private(set) var wanted: String?
    /// The name of our own node, which is no camera to read.
    let ownName: String
    /// The path of the loopback device to which we write, which is none, either.
    let ownPath: String?

    /// The connected cameras, without our own.
    private(set) var devices: [CameraDevice] = []
    private var hasReaders = false
    private var open: (device: CameraDevice, since: Double, hasPicture: Bool)?
    private var retryAt: Double?
    private var shown: String?
    private var reported: String?

    init(wanted: String?, ownName: String, ownPath: String? = nil) {
        (self.wanted, self.ownName, self.ownPath) = (wanted, ownName, ownPath)
    }

    /// The reason why there is no picture, in the words of the card; `nil` while there are pictures.
    var absence: String? { hasReaders ? shown : "no program reads the camera \(ownName)" }

    /// The time at which ``tick(_:)`` must be called at the latest; `nil` if only an event can change something.
    var deadline: Double? {
        if let open { return open.since + Self.patience }
        return hasReaders ? retryAt : nil
    }

    /// True if ``tick(_:)`` must be called, or the card shown, from time to time.
    var needsTicks: Bool { hasReaders || open != nil }

    mutating func handle(_ event: Event, at time: Double) -> [Command] {
        switch event {
        case .readers(let hasReaders):
            guard hasReaders != self.hasReaders else { return [] }
            self.hasReaders = hasReaders
            retryAt = nil
            shown = nil
        case .added(let device):
            guard device.name != ownName, device.path == nil || device.path != ownPath else { return [] }
            devices.removeAll { $0.id == device.id }
            devices.append(device)
            retryAt = nil
        case .removed(let id):
            guard let index = devices.firstIndex(where: { $0.id == id }) else { return [] }
            let device = devices.remove(at: index)
            guard open?.device.id == id else { return [] }
            open = nil
            retryAt = nil
            return [.close, .report("the camera \(device.title) was unplugged")] + update(time)
        case .wanted(let camera):
            wanted = camera
            retryAt = nil
            shown = nil
            guard let open, open.device.id != candidates.first?.id else { break }
            self.open = nil
            return [.close] + update(time)
        case .picture:
            guard let open else { return [] }
            self.open = (open.device, time, true)
            (shown, reported) = (nil, nil)
            return open.hasPicture ? [] : [.report("reading the camera \(open.device.title)")]
        case .failed(let reason):
            guard let open else { return [] }
            return giveUp(open.device, reason, time)
        case .lost(let reason):
            devices = []
            hasReaders = false
            shown = nil
            retryAt = nil
            defer { open = nil }
            return (open == nil ? [] : [.close]) + [
                .report("PipeWire ended the connection (\(reason)); connecting again")
            ]
        }
        return update(time)
    }

    mutating func tick(_ time: Double) -> [Command] {
        if let open, time >= open.since + Self.patience {
            return giveUp(open.device, "it delivers no picture", time)
        }
        return update(time)
    }

    private mutating func giveUp(_ device: CameraDevice, _ reason: String, _ time: Double) -> [Command] {
        open = nil
        retryAt = time + Self.pause
        return [.close] + card("\(device.title): \(reason)", reports: true)
    }

    /// The cameras that may be read, in the order of preference.
    private var candidates: [CameraDevice] {
        wanted.map { wanted in devices.filter { $0.matches(wanted) } } ?? devices.filter { !$0.isOffered }
    }

    /// Opens or closes the camera, as the state demands.
    private mutating func update(_ time: Double) -> [Command] {
        guard hasReaders else {
            guard open != nil else { return [] }
            open = nil
            return [.close]
        }
        guard open == nil else { return [] }
        if let retryAt, time < retryAt { return [] }
        guard let device = candidates.first else {
            let other = devices.first.map { "; to read \($0.title), choose it" } ?? ""
            let missing = wanted.map { "the camera \($0) is not connected" } ?? "no camera is connected\(other)"
            return card(missing, reports: true)
        }
        retryAt = nil
        open = (device, time, false)
        return [.open(device)] + card("\(device.title) starts", reports: false)
    }

    /// Shows a card, if it is not shown already, and reports its text once until the next picture.
    private mutating func card(_ text: String, reports: Bool) -> [Command] {
        var commands: [Command] = []
        if shown != text { commands.append(.card(text)) }
        if reports, reported != text { commands.append(.report(text)) }
        shown = text
        if reports { reported = text }
        return commands
    }
}
