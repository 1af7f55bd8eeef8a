import ArgumentParser
import Camera
import Flourish
import FlourishControl
import Platform

/// The command `flourish camera`. Offers a PipeWire camera that shows a real camera's pictures with reactions, until it
/// is interrupted. May write an event log.
struct CameraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera",
        abstract: "Offer a camera with reactions to all programs, by PipeWire.",
        discussion: """
            Programs that read cameras from PipeWire list a camera "Flourish". It shows the pictures of a real camera with reactions. \
            The real camera is open only while a program reads. Ctrl-C ends it.

            EXAMPLES
              flourish camera
              flourish camera --list
              flourish camera --camera "Integrated Webcam" --panel
              flourish camera --video-size 1920x1080 --framerate 30 --disable victory
            """)

    @Flag(help: "Print the cameras and their modes; offer nothing.")
    var list = false

    @Option(
        help: ArgumentHelp(
            "The camera to read: a part of its title, or its node's name (default: the first one).", valueName: "name"))
    var camera: String?

    @Option(help: ArgumentHelp("The name of the offered camera.", valueName: "name"))
    var name = "Flourish"

    @Option(
        name: .customLong("video-size"),
        help: ArgumentHelp(
            "The size of the pictures (default: the camera's size that is next to 1280x720).", valueName: "widthxheight"
        ))
    var size: String?

    @Option(name: .customLong("framerate"), help: ArgumentHelp("Pictures a second, 1 to 120.", valueName: "n"))
    var rate = 30

    @Option(
        help: ArgumentHelp(
            "Write events as JSON Lines to this file, which is replaced; - is the standard output.", valueName: "path"),
        completion: .file())
    var events: String?

    @OptionGroup var reactions: ReactionOptions
    @OptionGroup var reactionSettings: ReactionSettings
    @OptionGroup(title: "Effects") var ring: HoldRingOptions
    @OptionGroup(title: "Remote control") var remote: RemoteOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @OptionGroup(title: "Configuration") var files: SettingsOptions

    func validate() throws {
        if let size, pictureSize == nil {
            throw ValidationError(
                "--video-size must be a width and a height in even pixels, such as 1280x720, not '\(size)'")
        }
        guard (1...120).contains(rate) else { throw ValidationError("--framerate must be 1 to 120, not \(rate)") }
        guard !name.isEmpty else { throw ValidationError("--name must not be empty") }
    }

    private var pictureSize: (width: Int, height: Int)? {
        let sides = (size ?? "").split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], (16...8192).contains(width),
            (16...8192).contains(height), width % 2 == 0, height % 2 == 0
        else { return nil }
        return (width, height)
    }

    func run() async throws {
        try await Console.reportingErrors {
            if list { return try printCameras() }
            try await offer()
        }
    }

    private func printCameras() throws(FlourishError) {
        let cameras = try CameraRun.cameras()
        if cameras.isEmpty { StandardOutput.print("no camera is connected") }
        for camera in cameras {
            StandardOutput.print("\(camera.title) (\(camera.name))")
            for mode in camera.modes { StandardOutput.print("  \(mode) \(mode.format)") }
        }
    }

    private func offer() async throws {
        let settings = try files.load(reactions, reactionSettings, ring, messages)
        var configuration = try settings.configuration()
        try settings.addUsersGestures(to: &configuration)
        reactions.apply(to: &configuration)
        if settings["effects.hold-ring"]?.origin.place == .builtIn { configuration.holdRing = .preview }
        (configuration.isLive, configuration.lowersQuality) = (true, true)
        configuration.isSteered = remote.isGiven
        let session = ReactionSession(configuration: configuration)
        let log: EventLog? = if let events { try EventLog(path: events) } else { nil }
        let remote = try await remote.open(session)
        if let url = remote?.panelURL { Console.error("panel: \(url)") }

        var setup = CameraRun.Setup()
        setup.name = name
        setup.camera = camera
        setup.picture.rate = Double(rate)
        if let size = pictureSize {
            (setup.picture.width, setup.picture.height) = size
        } else {
            try setup.chooseSize()
        }
        let observer = SessionObserver(event: { event in
            log?.write(event)
            remote?.publish(event)
        })
        let level = Messages(settings).level
        let run = CameraRun(setup, session: session, observer: observer) { line in
            if level >= .warning { Console.error(line) }
        }
        let interrupt = InterruptHandler { run.stop() }
        defer { interrupt.cancel() }
        let result = await StageThread.run { () throws(FlourishError) in try run.run() }
        await remote?.stop()
        let summary = try result.get()
        try log?.check()
        if level >= .info { Console.error("\(summary.framesOut) frames") }
    }
}
