import ArgumentParser
import Flourish
import FoundationEssentials

/// Which gestures of one's own are known.
struct GestureSetOptions: ParsableArguments {
    @Option(setting: "recognition.gestures-file", completion: .file(extensions: ["json"]))
    var gestures: String?

    /// Where the set is kept.
    var path: String { gestures ?? GestureSet.usersPath() }

    /// The gestures of the file that was named, which must be there, or of the user's.
    func load() throws(FlourishError) -> GestureSet {
        if let gestures { return try GestureSet(contentsOf: gestures) }
        return try .usersOwn()
    }

    /// As ``load()``, but a file that is not there yet holds none.
    func loadForEditing() throws(FlourishError) -> GestureSet {
        FileManager.default.fileExists(atPath: path) ? try GestureSet(contentsOf: path) : GestureSet()
    }
}
