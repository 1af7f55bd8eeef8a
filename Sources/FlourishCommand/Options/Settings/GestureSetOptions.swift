import ArgumentParser
import Flourish

/// Which gestures of one's own are known.
struct GestureSetOptions: ParsableArguments {
    @Option(setting: "recognition.gestures-file", completion: .file(extensions: ["json"]))
    var gestures: String?

    /// What the configuration says, but for the file that was named.
    func settings() throws(FlourishError) -> Settings {
        var settings = try Settings.load()
        if let gestures { try settings.set("recognition.gestures-file", to: .text(gestures)) }
        return settings
    }
}
