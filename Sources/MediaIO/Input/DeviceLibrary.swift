internal import CFFmpeg
import Platform
internal import Synchronization

/// FFmpeg's cameras and virtual cameras: libavdevice, opened when one is named.
///
/// It is not linked, because it brings some two hundred libraries with it, which every start
/// of the program would pay for.
enum DeviceLibrary {
    private static let state = Mutex<Bool?>(nil)

    /// Makes FFmpeg know the devices.
    /// - Returns: whether the library is installed.
    ///
    /// `avdevice_register_all`
    static func load() -> Bool {
        state.withLock { loaded in
            if let loaded { return loaded }
            let found = register()
            loaded = found
            return found
        }
    }

    /// libavdevice bears the major version of libavformat.
    private static var fileName: String { "libavdevice.so.\(avformat_version() >> 16)" }

    private static func register() -> Bool {
        guard let library = unsafe dlopen(fileName, RTLD_NOW | RTLD_GLOBAL),
            let symbol = unsafe dlsym(library, "avdevice_register_all")
        else { return false }
        typealias Register = @convention(c) () -> Void
        unsafe unsafeBitCast(symbol, to: Register.self)()
        return true
    }
}
