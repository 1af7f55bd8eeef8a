import ArgumentParser
import CSandbox
import Camera
import Flourish
import MediaIO
import Platform

/// Drops rights that a run does not need: writing files other than outputs, starting programs, and opening sockets. An
/// attacker who takes over the process through a library that parses media has only the remaining rights.
///
/// A kernel without Landlock and seccomp does not restrict anything; `flourish doctor` reports this.
enum Sandbox {
    /// The enforced restrictions.
    struct Strength: Sendable, Hashable {
        /// True if Landlock restricts writing files.
        var files: Bool
        /// True if seccomp restricts system calls.
        var calls: Bool
    }

    /// Enters the sandbox that a command needs, unless `--no-sandbox` is given.
    static func enter(for command: any ParsableCommand) {
        guard let command = command as? any SandboxedCommand, !command.sandbox.noSandbox else { return }
        enter(command.needs)
    }

    /// Enters the sandbox in the calling thread and all threads that it starts. Must be called before other threads
    /// start. System calls are restricted in all threads.
    @discardableResult
    static func enter(_ needs: SandboxNeeds) -> Strength {
        if needs.startsPrograms { return Strength(files: false, calls: false) }
        var strength = Strength(files: false, calls: false)
        if !needs.writesAnywhere, let list = FileList() {
            for path in needs.writable { list.allow(path) }
            strength.files = list.enforce()
        }
        strength.calls = csandbox_enforce_calls(
            needs.usesNetwork
                ? CSANDBOX_NETWORK_SOCKETS : needs.usesLocalSockets ? CSANDBOX_LOCAL_SOCKETS : CSANDBOX_NO_SOCKETS)
        return strength
    }

    /// The paths that Landlock allows to be written.
    private struct FileList: ~Copyable {
        private let descriptor: Int32

        init?() {
            descriptor = csandbox_begin_files()
            if descriptor < 0 { return nil }
        }

        func allow(_ path: [UInt8]) {
            unsafe csandbox_allow(descriptor, path.map { CChar(bitPattern: $0) } + [0])
        }

        consuming func enforce() -> Bool { csandbox_enforce_files(descriptor) }
    }
}

/// The option that turns off the sandbox.
struct SandboxOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Do not restrict the process: allow it to write any file, to start programs and to open any socket.",
            visibility: .advanced))
    var noSandbox = false
}

/// A command that runs in the sandbox, and declares the rights that it needs. Other commands, such as `learn`, also parse
/// untrusted input, but are not sandboxed.
protocol SandboxedCommand {
    var sandbox: SandboxOptions { get }
    var needs: SandboxNeeds { get }
}

/// The rights that a command needs, except reading files.
struct SandboxNeeds: Sendable {
    /// The paths to write: existing files and devices, and folders, in and below which files are created.
    private(set) var writable: Set<[UInt8]> = [Array("/dev/null".utf8)]
    /// True if the run writes files whose paths are not known at its start.
    var writesAnywhere = false
    var usesLocalSockets = false
    var usesNetwork = false
    /// True if the command starts another program, which must not be restricted.
    var startsPrograms = false

    /// The folder for temporary files.
    static var temporaryFolder: String {
        let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        return folder.isEmpty ? "/tmp" : folder
    }

    /// Adds the rights for an input.
    mutating func read(_ input: String) {
        if input.hasPrefix(CameraFeed.prefix) {
            usesLocalSockets = true
            return
        }
        switch MediaAddress(input) {
        // A camera is configured by writing to its device.
        case .videoDevice(let path): writable.insert(RawName.bytes(path))
        case .network, .unsupported: usesNetwork = true
        case .file, .standardStream: break
        }
    }

    /// Adds the rights for an output; none if it is `nil`.
    mutating func write(_ output: String?) {
        guard let output else { return }
        if case .file(let path) = MediaAddress(output), !output.hasPrefix(CameraFeed.prefix) {
            writeFile(path)
        } else {
            // Devices, cameras and networks are written like they are read.
            read(output)
        }
    }

    /// Adds the rights for a folder of outputs, which may be created.
    mutating func fill(_ folder: String?) {
        if let folder { allowFolder(RawName.bytes(folder)) }
    }

    /// Adds the rights for the control socket and the panel.
    mutating func serve(_ remote: RemoteOptions) {
        if remote.control != nil {
            usesLocalSockets = true
            // A client of the socket can request snapshots at any path.
            writesAnywhere = true
        }
        if remote.panel != nil { usesNetwork = true }
        write(remote.panelToken)
    }

    /// Adds the right to start programs, if options or configuration files have hooks.
    mutating func run(_ hooks: HookOptions, _ files: SettingsOptions) {
        // An error of the files is reported when the command loads them.
        var settings = (try? Settings.load(from: files.places)) ?? Settings()
        try? hooks.apply(to: &settings)
        if HookGroup.commands.contains(where: { settings[$0]?.value != .list([]) }) { startsPrograms = true }
    }

    /// Allows the command to write a file. The file is written under a temporary name in the same folder. If the name
    /// is a symbolic link, its target is replaced.
    private mutating func writeFile(_ name: String) {
        let path = RawName.bytes(name)
        if DescriptorOutput.descriptor(named: name) != nil {
            writable.insert(path)
            // A file behind a descriptor may also be replaced.
            if case .success(let status) = RawFile.status(path), status.kind == .file, let file = Self.real(path) {
                allowFolder(Self.folder(of: file))
            }
            return
        }
        let place = Self.resolved(path)
        if case .success(let status) = RawFile.status(place), status.kind != .file {
            writable.insert(place)
        } else {
            allowFolder(Self.folder(of: place))
            allowFolder(Self.folder(of: path))
        }
    }

    /// Allows a folder, or its nearest existing ancestor.
    private mutating func allowFolder(_ path: [UInt8]) {
        var path = path
        while case .failure = RawFile.status(path), path != Self.folder(of: path) { path = Self.folder(of: path) }
        writable.insert(path)
    }

    /// Returns the folder of a path.
    private static func folder(of path: [UInt8]) -> [UInt8] {
        var end = path.count
        while end > 1, path[end - 1] == RawFile.slash { end -= 1 }
        guard let slash = path[..<end].lastIndex(of: RawFile.slash) else { return [RawFile.dot] }
        return slash == 0 ? [RawFile.slash] : Array(path[..<slash])
    }

    /// Returns the target of a symbolic link, following further links. The target need not exist.
    private static func resolved(_ path: [UInt8]) -> [UInt8] {
        var path = path
        for _ in 0..<40 {
            guard let link = Self.link(path) else { break }
            path = link.first == RawFile.slash ? link : folder(of: path) + [RawFile.slash] + link
        }
        return path
    }

    /// Returns the path without links; `nil` if it does not exist.
    private static func real(_ path: [UInt8]) -> [UInt8]? {
        guard let real = unsafe realpath(path.map { CChar(bitPattern: $0) } + [0], nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }
    }

    /// Returns the content of a symbolic link; `nil` for other files.
    private static func link(_ path: [UInt8]) -> [UInt8]? {
        let name = path.map { CChar(bitPattern: $0) } + [0]
        let target = unsafe [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = unsafe max(0, readlink(name, buffer.baseAddress!, buffer.count))
        }
        return target.isEmpty ? nil : target.map { UInt8(bitPattern: $0) }
    }
}
