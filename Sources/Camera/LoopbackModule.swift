public import Flourish
import Platform

/// The kernel module v4l2loopback: whether it is loaded, its devices, and how to create one.
public enum LoopbackModule {
    /// The beginning of the names of devices that are meant for Flourish. They are no cameras to read.
    static let label = "Flourish"

    /// The command by which a user gets access to video devices.
    static let joining = "sudo usermod -aG video $USER"

    /// Returns the command that creates a device.
    ///
    /// - Parameter path: The device's path; any if its number is missing.
    static func creating(_ path: String = "", isLoaded: Bool = isLoaded()) -> String {
        let prefix = "/dev/video"
        let number = path.hasPrefix(prefix) ? Int(path.dropFirst(prefix.count)) : nil
        // A module that is loaded ignores the options of another modprobe.
        return (isLoaded ? "sudo modprobe -r v4l2loopback; " : "")
            + "sudo modprobe v4l2loopback devices=1 exclusive_caps=1 card_label=\(label)"
            + (number.map { " video_nr=\($0)" } ?? "")
    }

    private static func isLoaded(_ system: String = "/sys") -> Bool {
        FileKind.of(system + "/module/v4l2loopback") == S_IFDIR
    }

    /// Examines the module and its devices, for the doctor. Real cameras are not opened.
    public static func examine() -> Doctor.Finding {
        examine(system: "/sys", devices: "/dev") { path throws(FlourishError) in _ = try LoopbackOutput(path) }
    }

    /// - Parameters:
    ///   - system: The folder of the kernel's objects.
    ///   - devices: The folder of devices.
    ///   - check: Throws the fault of a device.
    static func examine(
        system: String, devices: String, check: (String) throws(FlourishError) -> Void
    ) -> Doctor.Finding {
        let isLoaded = isLoaded(system)
        func finding(_ detail: String, remedy: String?) -> Doctor.Finding {
            Doctor.Finding(
                name: "camera in /dev", isGood: remedy == nil, isOptional: true, detail: detail, remedy: remedy)
        }
        guard isLoaded else {
            return finding(
                "the kernel module v4l2loopback is not loaded; programs that read only /dev/video* see no camera",
                remedy: "install v4l2loopback (Debian: v4l2loopback-dkms), and run: \(creating(isLoaded: false))")
        }
        // The devices of hardware are elsewhere.
        let folder = RawName.bytes(system + "/devices/virtual/video4linux")
        let names = ((try? RawFile.names(in: folder)) ?? []).map { String(decoding: $0, as: UTF8.self) }
        guard !names.isEmpty else {
            return finding(
                "v4l2loopback is loaded, without a device", remedy: "run: \(creating(isLoaded: true))")
        }
        var fault: FlourishError?
        for path in names.map({ "\(devices)/\($0)" }) {
            do throws(FlourishError) {
                try check(path)
                return finding("\(path), for flourish camera --v4l2 \(path)", remedy: nil)
            } catch {
                if error == LoopbackFault.busy(path) { return finding("\(path), in use", remedy: nil) }
                fault = fault ?? error
            }
        }
        let parts = (fault?.problem ?? "").split(separator: "; ", maxSplits: 1).map(String.init)
        return finding(parts.first ?? "", remedy: parts.last)
    }
}
