internal import CFFmpeg
import Platform
import Synchronization

/// The FFmpeg libraries that the process uses: their versions, whether these match the headers of the build, and the
/// encoders that are present.
package enum MediaLibraries {
    /// The versions of the libraries in use by their names, such as `libavcodec`: `59.37.100`.
    package static var versions: [String: String] {
        let libraries = [
            ("libavformat", avformat_version()), ("libavcodec", avcodec_version()),
            ("libswscale", swscale_version()), ("libavutil", avutil_version()),
        ]
        return Dictionary(uniqueKeysWithValues: libraries).mapValues(text)
    }

    /// The release of FFmpeg in use, such as `5.1.9-0+deb12u1`.
    ///
    /// `av_version_info`
    package static var release: String { unsafe String(cString: av_version_info()) }

    /// The release of FFmpeg whose headers the program was built with.
    package static var builtRelease: String { unsafe String(cString: cffmpeg_built_release()) }

    /// The name of Debian's package of libavcodec in use.
    package static var codecPackage: String { "libavcodec\(avcodec_version() >> 16)" }

    /// Returns a version as FFmpeg writes it.
    private static func text(_ version: UInt32) -> String {
        "\(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
    }

    /// The fault of the libraries in use, in words for the user; nil if there is none. Each library must have the major
    /// version of the build's headers, and no older minor version.
    package static let fault: String? = fault(
        inUse: [avformat_version(), avcodec_version(), swscale_version(), avutil_version()],
        built: [cffmpeg_built_avformat, cffmpeg_built_avcodec, cffmpeg_built_swscale, cffmpeg_built_avutil])

    /// - Parameters:
    ///   - inUse: The versions of libavformat, libavcodec, libswscale and libavutil at run time.
    ///   - built: The versions of the headers.
    static func fault(inUse: [UInt32], built: [UInt32]) -> String? {
        let names = ["libavformat", "libavcodec", "libswscale", "libavutil"]
        for (name, (now, then)) in zip(names, zip(inUse, built))
        where now >> 16 != then >> 16 || now >> 8 & 0xFF < then >> 8 & 0xFF {
            return "the installed \(name) is \(text(now)), but the program was built with \(text(then)); "
                + "install that version, or rebuild the program"
        }
        return nil
    }

    /// - throws: ``MediaError`` of the code `noDecoder` if there is a ``fault``.
    static func check(_ path: String) throws(MediaError) {
        if let fault { throw MediaError(.noDecoder, file: path, "\(path): \(fault)") }
    }

    /// Returns the encoders present for a codec by FFmpeg's names, the preferred one first.
    package static func encoders(for codec: VideoCodec) -> [String] {
        usableEncoders(for: codec).filter { unsafe avcodec_find_encoder_by_name($0) != nil }
    }

    /// Returns the encoders that could be used for a codec, whether present or not, by FFmpeg's names; the preferred
    /// one first.
    package static func usableEncoders(for codec: VideoCodec) -> [String] {
        switch codec {
        case .h264: ["libx264"]
        case .hevc: ["libx265"]
        case .vp9: ["libvpx-vp9"]
        case .av1: ["libsvtav1", "libaom-av1"]
        }
    }
}

/// The codecs that can be written.
package enum VideoCodec: String, Sendable, Hashable, CaseIterable {
    case h264, hevc, vp9, av1
}

/// FFmpeg's cameras and virtual cameras: libavdevice, which is opened when an address names a device.
///
/// The library is not linked, since it loads about two hundred other libraries, which would slow down every start of
/// the program.
extension MediaLibraries {
    private static let hasDevices = Mutex<Bool?>(nil)

    /// Registers the devices with FFmpeg.
    /// - Returns: Whether the library is installed.
    ///
    /// `avdevice_register_all`
    static func loadDevices() -> Bool {
        hasDevices.withLock { loaded in
            if let loaded { return loaded }
            let found = registerDevices()
            loaded = found
            return found
        }
    }

    /// The file name of libavdevice, which has the major version of libavformat.
    private static var deviceLibrary: String { "libavdevice.so.\(avformat_version() >> 16)" }

    private static func registerDevices() -> Bool {
        guard let library = unsafe dlopen(deviceLibrary, RTLD_NOW | RTLD_GLOBAL),
            let symbol = unsafe dlsym(library, "avdevice_register_all")
        else { return false }
        typealias Register = @convention(c) () -> Void
        unsafe unsafeBitCast(symbol, to: Register.self)()
        return true
    }
}

/// FFmpeg's own log, which is hidden unless the user enables it.
package enum MediaLog {
    package enum Level: Sendable, Hashable, CaseIterable {
        /// Nothing reaches stderr; important events are reported as ``MediaError`` or as values.
        case silent
        case errors, warnings, verbose
    }

    private static let current = Mutex<Level?>(nil)

    /// The level from which FFmpeg's log is written to stderr, for the whole process; `silent` by default.
    ///
    /// `av_log_set_callback`, `av_log_set_level`
    package static var level: Level {
        get { current.withLock { $0 ?? .silent } }
        set {
            current.withLock {
                $0 = newValue; apply(newValue)
            }
        }
    }

    /// Sets the default level if none is set. Every entry point to FFmpeg in this module calls this function.
    static func prepare() {
        current.withLock {
            guard $0 == nil else { return }
            $0 = .silent
            apply(.silent)
        }
    }

    private static func apply(_ level: Level) {
        // SVT-AV1 writes to stderr directly, unless its environment forbids it.
        if level != .verbose { _ = unsafe setenv("SVT_LOG", level == .silent ? "0" : "1", 0) }
        switch level {
        case .silent: cffmpeg_set_log(0, AV_LOG_QUIET)
        case .errors: cffmpeg_set_log(1, AV_LOG_ERROR)
        case .warnings: cffmpeg_set_log(1, AV_LOG_WARNING)
        case .verbose: cffmpeg_set_log(1, AV_LOG_VERBOSE)
        }
    }
}

/// Settings of the process's memory allocator.
package enum MediaMemory {
    /// True if the process belongs to the program, which may then configure the process's memory.
    private static let isOwn = Atomic(false)

    /// Limits the number of arenas over which threads scatter freed memory, and enables ``clearNewMemory()``.
    ///
    /// By default glibc opens up to eight arenas for each core. Frames are pooled, so threads rarely wait for one of
    /// two arenas. At 1080p, the process's peak memory is about 15 MB lower.
    ///
    /// `mallopt(M_ARENA_MAX)`; does nothing with other C libraries.
    package static func limitArenas() {
        isOwn.store(true, ordering: .relaxed)
        cffmpeg_limit_arenas(2)
    }

    /// Clears all allocated memory from now on, if the process belongs to the program. Some libraries read
    /// uninitialised memory, and their results would differ between runs. At 720p the peak is about 80 MB higher; the
    /// time is unchanged.
    ///
    /// `mallopt(M_PERTURB)`; does nothing with other C libraries.
    static func clearNewMemory() {
        if isOwn.load(ordering: .relaxed) { cffmpeg_clear_new_memory() }
    }

    /// Returns freed memory to the system from now on, if the process belongs to the program, because short-lived
    /// encoders leave their memory scattered. For one hour at 720p with ten segments, the peak is 507 MB instead of 585
    /// MB, in the same time.
    ///
    /// `mallopt(M_TRIM_THRESHOLD)`; does nothing with other C libraries.
    package static func returnFreedMemory() {
        if isOwn.load(ordering: .relaxed) { cffmpeg_return_freed_memory() }
    }
}
