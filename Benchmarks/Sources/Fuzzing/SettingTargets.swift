import Flourish
import FoundationEssentials
import MediaIO
import Puppet
import Vision

/// A palette, in the syntax of an option or a setting.
package struct PaletteTarget: FuzzTarget {
    package let name = "palette"
    private let folder: FuzzFolder
    package init(folder: FuzzFolder) { self.folder = folder }

    package func seeds() -> [FuzzInput] {
        ["pastel", "#ff0000,#00ff00,#0000ff", "#000000"].map { FuzzInput("txt", $0) } + [
            FuzzInput("json", ##"{"colours": ["#ff8800", "#0088ff"], "everywhere": true}"##)
        ]
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        do {
            if input.kind == "json" {
                _ = try Palette(try folder.write(input.bytes, as: "palette.json"))
            } else {
                // A path would load an existing file.
                let text = String(decoding: input.bytes, as: UTF8.self).replacing("/", with: "")
                _ = try Palette(text)
            }
            return "accepted"
        } catch { return try Refusal.word(for: error) }
    }
}

/// A set of learned gestures.
package struct GestureSetTarget: FuzzTarget {
    package let name = "gestures"
    private let folder: FuzzFolder
    package init(folder: FuzzFolder) { self.folder = folder }

    package func seeds() -> [FuzzInput] {
        let points = (0..<21).map { "[\(Double($0) / 10),\(Double($0 % 5) / 4),0.01]" }.joined(separator: ",")
        return [
            FuzzInput(
                "json",
                #"{ "format": 1, "gestures": [{ "name": "three", "reaction": "confetti", "hands": 1, "examples": [[\#(points)],[\#(points)]] }] }"#
            )
        ]
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        let file = try folder.write(input.bytes, as: "gestures.json")
        do {
            let set = try GestureSet(contentsOf: file)
            try set.write(to: folder.path + "/again.json")
            guard try GestureSet(contentsOf: folder.path + "/again.json").gestures.count == set.gestures.count else {
                throw FuzzFault("what was written is not what was read")
            }
            return "accepted"
        } catch let fault as FuzzFault { throw fault } catch { return try Refusal.word(for: error) }
    }
}

/// The weights of the networks.
package struct WeightsTarget: FuzzTarget {
    package let name = "weights"
    private let assets: String
    package init(assets: String) { self.assets = assets }

    package func seeds() throws -> [FuzzInput] { try FuzzFiles.all(in: assets + "/Gestures", kind: "json") }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        let data = Data(input.bytes)
        if let network = try? GestureNetwork(json: data, file: "weights") {
            _ = network.normalised([Float](repeating: 0.5, count: HandFeatures.names.count))
            return "accepted"
        }
        if let judge = try? PictureJudge(json: data, file: "weights") {
            _ = judge.probabilities(of: [Float](repeating: 0.1, count: 1152))
            return "accepted"
        }
        return "refused"
    }
}

/// A script of the puppet, of which a frame is drawn.
package struct PuppetTarget: FuzzTarget {
    package let name = "puppet"
    private let folder: FuzzFolder
    private let assets: String
    package init(folder: FuzzFolder, assets: String) {
        self.folder = folder
        self.assets = assets
    }

    package func seeds() throws -> [FuzzInput] { try FuzzFiles.all(in: assets + "/Puppet", kind: "json") }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        let file = try folder.write(input.bytes, as: "script.json")
        do throws(any Error) {
            let director = try stage(of: file)
            let pool = FramePool()
            for frame in [0, max(0, director.script.frameCount / 2), max(0, director.script.frameCount - 1)] {
                var drawn = try VideoFrame(format: director.format, time: .zero, pool: pool)
                try drawn.withMutablePicture(pool: pool) { director.draw(frame: frame, into: &$0) }
            }
            return "drawn"
        } catch { return try Refusal.word(for: error) }
    }

    /// Reads a script and limits its size, since drawing large pictures is slow and no fault.
    private func stage(of file: String) throws(PuppetError) -> any PuppetStage {
        if var gallery = try PuppetGallery(path: file) {
            if gallery.width > 512, gallery.width <= 8192 { gallery.width = 512 }
            if gallery.height > 288, gallery.height <= 8192 { gallery.height = 288 }
            return try PuppetGalleryDirector(gallery: gallery)
        }
        var script = try PuppetScript(path: file)
        if script.width > 256, script.width <= 8192 { script.width = 256 }
        if script.height > 144, script.height <= 8192 { script.height = 144 }
        return try PuppetDirector(script: script)
    }
}

/// A configuration file.
package struct ConfigurationTarget: FuzzTarget {
    package let name = "configuration"
    private let folder: FuzzFolder
    package init(folder: FuzzFolder) { self.folder = folder }

    package func seeds() -> [FuzzInput] {
        // Commented settings of the example are valid.
        let example = Settings.example.split(separator: "\n", omittingEmptySubsequences: false)
            .map {
                $0.hasPrefix("# ") && $0.contains(" = ") || $0.hasPrefix("#") && $0.contains(" = ")
                    ? $0.drop { "# ".contains($0) } : $0
            }
        return [
            FuzzInput("toml", example.joined(separator: "\n")),
            FuzzInput(
                "toml",
                "locked = [\"recognition.gestures\", \"style\"]\n[recognition]\nhold = 1.5\n[bindings]\nvictory = \"confetti\"\n[sensitivity]\nheart = \"low\"\n"
            ),
        ]
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        let file = try folder.write(input.bytes, as: "config.toml")
        var places = SettingsPlaces()
        places.userFile = file
        if seed % 3 == 0 { (places.userFile, places.systemFiles) = (nil, [file]) }
        do {
            _ = try Settings.faults(inFile: file, beside: places)
            let configuration = try Settings.load(from: places).configuration()
            try configuration.validate()
            return "accepted"
        } catch { return try Refusal.word(for: error) }
    }
}
