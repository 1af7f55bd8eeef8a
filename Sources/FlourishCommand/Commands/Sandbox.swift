import ArgumentParser
import CSandbox
import Platform

/// The program gives up, for good, what a run has no use for: files to write but its outputs, programs to start, sockets.
/// Whoever takes it over by a hole in a library that reads video has no more than that.
///
/// Where the kernel has none of it, all stays as it was; `flourish doctor` says so.
enum Sandbox {
    /// What of it is in force.
    struct Strength: Sendable, Hashable {
        /// Whether files are kept from being written: Landlock.
        var files: Bool
        /// Whether calls are refused: seccomp.
        var calls: Bool
    }

    /// Puts it up as a command needs it, unless it was declined.
    static func enter(for command: any ParsableCommand) {
        guard let command = command as? any SandboxedCommand, !command.sandbox.noSandbox else { return }
        enter(command.needs)
    }

    /// Puts it up around the thread that calls and all that begin later, so that it is called before any other begins.
    /// Calls are refused in all threads.
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

    /// What may be written.
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

/// Whether the program gives up what it has no use for.
struct SandboxOptions: ParsableArguments {
    @Flag(
        help:
            "Keep the rights to write other files than outputs, to start programs and to open other sockets than asked for."
    )
    var noSandbox = false
}

/// A command that reads what strangers made, and knows what it needs.
protocol SandboxedCommand {
    var sandbox: SandboxOptions { get }
    var needs: SandboxNeeds { get }
}

/// What a command needs of the system beside reading files.
struct SandboxNeeds: Sendable {
    /// What is written: files and devices that are there, and folders in which and below which anything may grow.
    private(set) var writable: Set<[UInt8]> = [Array("/dev/null".utf8)]
    /// Whether files may be written that nobody knows of yet.
    var writesAnywhere = false
    var usesLocalSockets = false
    var usesNetwork = false
    /// Whether another program is started, which must not be kept from anything.
    var startsPrograms = false

    /// Where what is only needed for a while is kept.
    static var temporaryFolder: String {
        let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        return folder.isEmpty ? "/tmp" : folder
    }

    /// An input as a person types it.
    mutating func read(_ input: String) {
        switch Place(input) {
        // What a camera is asked for is written to it.
        case .device(let path): writable.insert(RawName.bytes(path))
        case .network: usesNetwork = true
        case .file: break
        }
    }

    /// An output as a person types it; nothing where there is none.
    mutating func write(_ output: String?) {
        guard let output, output != "-" else { return }
        switch Place(output) {
        case .device(let path): writable.insert(RawName.bytes(path))
        case .network: usesNetwork = true
        case .file(let path): writeFile(path)
        }
    }

    /// A folder with outputs, which may be made.
    mutating func fill(_ folder: String?) {
        if let folder { allowFolder(RawName.bytes(folder)) }
    }

    /// How others reach the run.
    mutating func serve(_ remote: RemoteOptions) {
        if remote.control != nil {
            usesLocalSockets = true
            // Who may use the socket has pictures written wherever the program may write.
            writesAnywhere = true
        }
        if remote.panel != nil { usesNetwork = true }
    }

    /// Where an address leads, as the library that reads and writes media takes it.
    private enum Place {
        case file(String), device(String), network

        init(_ address: String) {
            let scheme = address.firstRange(of: "://").map { address[..<$0.lowerBound].lowercased() }
            let signs = "abcdefghijklmnopqrstuvwxyz0123456789+-."
            if address.hasPrefix("v4l2:") {
                self = .device(String(address.dropFirst(5)))
            } else if scheme == "file" {
                self = .file(String(address.dropFirst(7)))
            } else if let scheme, !scheme.isEmpty, scheme.allSatisfy(signs.contains) {
                self = .network
            } else {
                self = .file(address)
            }
        }
    }

    /// A file grows under another name beside its own, and takes the place of what a link leads to.
    private mutating func writeFile(_ name: String) {
        let path = RawName.bytes(name)
        if DescriptorOutput.descriptor(named: name) != nil {
            writable.insert(path)
            // A file that a descriptor leads to may be replaced like any other.
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

    /// The folder, or the nearest one above it that is there.
    private mutating func allowFolder(_ path: [UInt8]) {
        var path = path
        while case .failure = RawFile.status(path), path != Self.folder(of: path) { path = Self.folder(of: path) }
        writable.insert(path)
    }

    /// The folder in which a path lies.
    private static func folder(of path: [UInt8]) -> [UInt8] {
        var end = path.count
        while end > 1, path[end - 1] == RawFile.slash { end -= 1 }
        guard let slash = path[..<end].lastIndex(of: RawFile.slash) else { return [RawFile.dot] }
        return slash == 0 ? [RawFile.slash] : Array(path[..<slash])
    }

    /// What a link leads to, through other links, whether it is there or not.
    private static func resolved(_ path: [UInt8]) -> [UInt8] {
        var path = path
        for _ in 0..<40 {
            guard let link = Self.link(path) else { break }
            path = link.first == RawFile.slash ? link : folder(of: path) + [RawFile.slash] + link
        }
        return path
    }

    /// The path without links; `nil` where nothing is there.
    private static func real(_ path: [UInt8]) -> [UInt8]? {
        guard let real = unsafe realpath(path.map { CChar(bitPattern: $0) } + [0], nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }
    }

    /// What stands in a link; `nil` where it is none.
    private static func link(_ path: [UInt8]) -> [UInt8]? {
        let name = path.map { CChar(bitPattern: $0) } + [0]
        let target = unsafe [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = unsafe max(0, readlink(name, buffer.baseAddress!, buffer.count))
        }
        return target.isEmpty ? nil : target.map { UInt8(bitPattern: $0) }
    }
}
