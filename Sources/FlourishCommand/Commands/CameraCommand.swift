import ArgumentParser
import Camera
import Flourish
import FlourishControl
import FoundationEssentials
import Platform

/// The command `flourish camera`. Offers a PipeWire camera that shows a real camera's pictures with reactions, until it
/// is interrupted. May write an event log.
struct CameraCommand: AsyncParsableCommand, BriefHelp {
    static let configuration = CommandConfiguration(
        commandName: "camera",
        abstract: "Offer a camera with reactions to all programs, by PipeWire.",
        discussion: """
            Programs that read cameras from PipeWire list a camera "Flourish". It shows the pictures of a real camera with reactions. \
            The real camera is open only while a program reads. Ctrl-C ends it.

            --v4l2 also writes the pictures to a device of the kernel module v4l2loopback, for programs that read /dev/video* only. \
            flourish doctor prints the command that creates the device.

            EXAMPLES
              flourish camera
              flourish camera --list
              flourish camera --camera "Integrated Webcam" --panel
              flourish camera --open
              flourish camera --video-size 1920x1080 --framerate 30 --disable victory
              flourish camera --v4l2 /dev/video10
            """)

    @OptionGroup var help: HelpOptions

    @Flag(help: "Print the cameras and their modes; offer nothing.")
    var list = false

    @Option(
        help: ArgumentHelp(
            "The camera to read: a part of its title, its device, or its node's name (default: the first one).",
            valueName: "name"))
    var camera: String?

    @Option(
        help: ArgumentHelp(
            "The microphone for --while-speaking, by its node's name (default: the system's default).",
            valueName: "name"))
    var microphone: String?

    @Option(help: ArgumentHelp("The name of the offered camera.", valueName: "name"))
    var name = "Flourish"

    @Option(
        name: .customLong("v4l2"),
        help: ArgumentHelp(
            "Write the pictures to this device of v4l2loopback, too, such as /dev/video10.", valueName: "device"),
        completion: .file())
    var loopback: String?

    @Option(
        name: .customLong("video-size"),
        help: ArgumentHelp(
            "The size of the pictures (default: the camera's size that is next to 1280x720).", valueName: "widthxheight"
        ))
    var size: String?

    @Option(name: .customLong("framerate"), help: ArgumentHelp("Pictures a second, 1 to 120.", valueName: "n"))
    var rate = 30

    @Flag(help: "Open the panel in the browser: that of the camera that runs already, or else of this one.")
    var open = false

    @Option(
        help: ArgumentHelp(
            "Write events as JSON Lines to this file, which is replaced; - is the standard output.", valueName: "path"),
        completion: .file())
    var events: String?

    @OptionGroup var reactions: ReactionOptions
    @OptionGroup var reactionSettings: ReactionSettings
    @OptionGroup(title: "Effects") var ring: HoldRingOptions
    @OptionGroup(title: "Effects") var video: VideoEffectOptions
    @OptionGroup(title: "Hooks") var hooks: HookOptions
    @OptionGroup(title: "Remote control") var remote: RemoteOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions

    func validate() throws {
        if let size, PictureSize(ofCamera: size) == nil {
            throw ValidationError(PictureSize.cameraFault(size))
        }
        guard (1...120).contains(rate) else { throw ValidationError("--framerate must be 1 to 120, not \(rate)") }
        guard !name.isEmpty else { throw ValidationError("--name must not be empty") }
    }

    func run() async throws {
        if list { return try printCameras() }
        try await offer()
    }

    private func printCameras() throws(FlourishError) {
        // Those that Flourish offers show what the others film.
        let own = loopback.map(LoopbackOutput.resolved)
        let cameras = try CameraRun.cameras().filter { !$0.isOffered && ($0.path == nil || $0.path != own) }
        if cameras.isEmpty { StandardOutput.print("no camera is connected") }
        for camera in cameras {
            StandardOutput.print("\(camera.title) (\(camera.name))")
            for mode in camera.modes { StandardOutput.print("  \(mode) \(mode.format)") }
        }
    }

    private func offer() async throws {
        if open, let url = PanelNote.url {
            Browser.open(url)
            return
        }
        var setup = CameraRun.Setup()
        setup.loopback = if let loopback { try LoopbackOutput(loopback) } else { nil }
        let settings = try files.load(reactions, reactionSettings, ring, video, hooks, messages)
        var configuration = try settings.configurationWithUsersGestures()
        reactions.apply(to: &configuration)
        if settings["effects.hold-ring"]?.origin.place == .builtIn { configuration.holdRing = .preview }
        // A camera films a scene, no gallery. Looking for tiles took 8 % of the time while idle.
        if settings["recognition.layout"]?.origin.place == .builtIn { configuration.layout = .single }
        if microphone != nil, configuration.speechPolicy == .allow {
            throw FlourishError(.usage, "--microphone requires --while-speaking hold-longer or ignore")
        }
        (configuration.isLive, configuration.lowersQuality) = (true, true)
        if settings["effects.calm"]?.origin.place == .builtIn, Desktop.reducesMotion() {
            configuration.style.isCalm = true
            Console.error("effects are calm, since the desktop reduces motion; --no-calm shows all of them")
        }
        var remote = remote
        if open, remote.panel == nil { remote.panel = "" }
        configuration.isSteered = remote.isGiven
        let session = ReactionSession(configuration: configuration)
        let log: EventLog? = if let events { try EventLog(path: events) } else { nil }
        defer { log?.removeIfUnused() }
        let control = try await remote.open(session)
        let note = control?.panelURL.flatMap(PanelNote.init)
        defer { note?.remove() }
        if let url = control?.panelURL {
            Console.error("panel: \(url)")
            if open { Browser.open(url) }
        }

        setup.name = name
        (setup.camera, setup.microphone) = (camera, microphone)
        try setup.checkCamera()
        setup.picture.rate = Double(rate)
        if let size = size.flatMap(PictureSize.init(ofCamera:)) {
            (setup.picture.width, setup.picture.height) = (size.width, size.height)
        } else {
            try setup.chooseSize()
        }
        let level = Messages(settings).level
        let events = RunHooks(configuration.hooks, input: camera, level: level) { event in
            log?.write(event)
            control?.publish(event)
            if case .warning(.hookFailed, let message) = event.kind, level >= .warning { Console.warn(message) }
        }
        let observer = SessionObserver(event: { events.receive($0) })
        let run = CameraRun(
            setup, session: session, observer: observer, camerasChanged: { control?.publishCameras() },
            report: { if level >= .warning { Console.error($0) } })
        let selection = run.selection
        control?.cameraChoice = CameraChoice(
            cameras: { selection.cameras.map { ($0.name, $0.title) } }, camera: { selection.camera },
            absence: { selection.absence }, choose: { selection.choose($0) })
        let interrupt = InterruptHandler {
            run.stop()
            events.hasten()
        }
        defer { interrupt.cancel() }
        let result = await StageThread.run { () throws(FlourishError) in try run.run() }
        await control?.stop()
        await events.finish()
        let summary = try result.get()
        try log?.check()
        if level >= .info { Console.error("\(summary.framesOut) frames") }
    }
}

/// A file with the address of the panel of the camera that runs, for `--open`. Its folder is the user's own.
private struct PanelNote {
    private let path: String

    private static var place: String? {
        ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].map { $0 + "/flourish-camera.url" }
    }

    /// The panel's address; `nil` if no camera with a panel runs.
    static var url: String? {
        guard let place, let text = try? String(contentsOfFile: place, encoding: .utf8) else { return nil }
        let words = text.split(separator: "\n").map(String.init)
        // A camera that was killed leaves its file.
        guard words.count == 2, let process = pid_t(words[0]), kill(process, 0) == 0 else { return nil }
        return words[1]
    }

    /// Writes the file; `nil` if there is no place for it, or if the file of a running camera is there.
    init?(_ url: String) {
        guard let place = Self.place, Self.url == nil else { return nil }
        _ = unsafe unlink(place)
        let descriptor = unsafe Platform.open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard DescriptorOutput.write(Array("\(getpid())\n\(url)\n".utf8), to: descriptor) == 0 else { return nil }
        path = place
    }

    func remove() { _ = unsafe unlink(path) }
}
