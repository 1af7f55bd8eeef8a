internal import CFFmpeg
import Platform
import Synchronization

/// What FFmpeg on this machine is and can do.
package enum MediaLibraries {
    /// The versions of the libraries in use by their names, such as `libavcodec`: `59.37.100`.
    package static var versions: [String: String] {
        let libraries = [
            ("libavformat", avformat_version()), ("libavcodec", avcodec_version()),
            ("libswscale", swscale_version()), ("libavutil", avutil_version()),
        ]
        return Dictionary(uniqueKeysWithValues: libraries).mapValues(text)
    }

    /// A version as FFmpeg writes it.
    private static func text(_ version: UInt32) -> String {
        "\(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
    }

    /// What is wrong with the libraries in use, for people: they must be those that the program was built with, or newer
    /// ones of the same major version. Nil where nothing is.
    package static let fault: String? = fault(
        inUse: [avformat_version(), avcodec_version(), swscale_version(), avutil_version()],
        built: [cffmpeg_built_avformat, cffmpeg_built_avcodec, cffmpeg_built_swscale, cffmpeg_built_avutil])

    /// - Parameters:
    ///   - inUse: the versions of libavformat, libavcodec, libswscale and libavutil, as those tell them.
    ///   - built: those of the headers.
    static func fault(inUse: [UInt32], built: [UInt32]) -> String? {
        let names = ["libavformat", "libavcodec", "libswscale", "libavutil"]
        for (name, (now, then)) in zip(names, zip(inUse, built))
        where now >> 16 != then >> 16 || now >> 8 & 0xFF < then >> 8 & 0xFF {
            return "this machine's \(name) is \(text(now)), and the program was built with \(text(then)); "
                + "install FFmpeg as it was, or build the program anew"
        }
        return nil
    }

    /// - throws: ``MediaError`` of the code `noDecoder` where there is a ``fault``.
    static func check(_ path: String) throws(MediaError) {
        if let fault { throw MediaError(.noDecoder, file: path, "\(path): \(fault)") }
    }

    /// The encoders present for a codec by FFmpeg's names, the preferred one first.
    package static func encoders(for codec: VideoCodec) -> [String] {
        usableEncoders(for: codec).filter { unsafe avcodec_find_encoder_by_name($0) != nil }
    }

    /// The encoders that could be used for a codec by FFmpeg's names, present or not, the preferred one first.
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

/// FFmpeg's cameras and virtual cameras: libavdevice, opened when one is named.
///
/// It is not linked, because it brings some two hundred libraries with it, which every start
/// of the program would pay for.
extension MediaLibraries {
    private static let hasDevices = Mutex<Bool?>(nil)

    /// Makes FFmpeg know the devices.
    /// - Returns: whether the library is installed.
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

    /// libavdevice bears the major version of libavformat.
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

/// FFmpeg's own log, which people do not see unless they ask for it.
package enum MediaLog {
    package enum Level: Sendable, Hashable, CaseIterable {
        /// Nothing reaches stderr; what matters is reported as ``MediaError`` or as values.
        case silent
        case errors, warnings, verbose
    }

    private static let current = Mutex<Level?>(nil)

    /// How much of FFmpeg's log goes to stderr from now on. At first: nothing.
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

    /// Called by everything here that enters FFmpeg first.
    static func prepare() {
        current.withLock {
            guard $0 == nil else { return }
            $0 = .silent
            apply(.silent)
        }
    }

    private static func apply(_ level: Level) {
        // SVT-AV1 writes to stderr past FFmpeg's log, unless its environment forbids it.
        if level != .verbose { _ = unsafe setenv("SVT_LOG", level == .silent ? "0" : "1", 0) }
        switch level {
        case .silent: cffmpeg_set_log(0, AV_LOG_QUIET)
        case .errors: cffmpeg_set_log(1, AV_LOG_ERROR)
        case .warnings: cffmpeg_set_log(1, AV_LOG_WARNING)
        case .verbose: cffmpeg_set_log(1, AV_LOG_VERBOSE)
        }
    }
}

/// How the process takes memory from the system.
package enum MediaMemory {
    /// Whether the process is the program's own, so that it may decide on all of its memory.
    private static let isOwn = Atomic(false)

    /// Keeps memory that many threads free from being scattered over as many arenas, and allows for
    /// ``clearWhatIsNew()``.
    ///
    /// By default glibc opens up to eight for each core. Frames are pooled, so threads
    /// hardly ever wait for one of two; at 1080p that takes some 15 MB less at the peak.
    ///
    /// `mallopt(M_ARENA_MAX)`; does nothing with other C libraries.
    package static func limitArenas() {
        isOwn.store(true, ordering: .relaxed)
        cffmpeg_limit_arenas(2)
    }

    /// From here on memory is handed out empty, and not with what it held before, if the process is the program's own:
    /// for libraries that heed what they never wrote. At 720p it takes some 80 MB more at the peak, and no time.
    ///
    /// `mallopt(M_PERTURB)`; does nothing with other C libraries.
    static func clearWhatIsNew() {
        if isOwn.load(ordering: .relaxed) { cffmpeg_clear_new_memory() }
    }

    /// From here on what is freed goes back to the system, if the process is the program's own: coders that come and go leave
    /// their memory scattered. An hour at 720p with ten spans takes 507 MB at the peak instead of 585, and as much time.
    ///
    /// `mallopt(M_TRIM_THRESHOLD)`; does nothing with other C libraries.
    package static func returnWhatIsFreed() {
        if isOwn.load(ordering: .relaxed) { cffmpeg_return_freed_memory() }
    }
}
