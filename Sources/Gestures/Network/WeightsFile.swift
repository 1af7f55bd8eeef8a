import FoundationEssentials

/// Why a file of weights cannot be used: one line that names the file.
package struct GestureNetworkError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// The file was made for another version of the program.
    static func misfit(_ file: String) -> GestureNetworkError {
        GestureNetworkError(
            description: "\(file): does not fit this version of the program; run Scripts/train or Scripts/install")
    }
}

/// A file of weights in the assets folder.
struct WeightsFile {
    /// How errors name it.
    let name: String
    let json: Data

    /// - Parameter purpose: what the weights are for: "recognise gestures".
    /// - Throws: ``GestureNetworkError`` where the file is missing.
    init(_ path: String, purpose: String) throws(GestureNetworkError) {
        name = path
        do {
            json = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw GestureNetworkError(
                description: "\(path): the weights that \(purpose) cannot be read; run Scripts/install again")
        }
    }

    init(name: String, json: Data) {
        self.name = name
        self.json = json
    }

    /// - Parameter kind: what it should hold: "network of gestures".
    /// - Throws: ``GestureNetworkError`` where it holds something else.
    func contents<Contents: Decodable>(_ type: Contents.Type, kind: String) throws(GestureNetworkError) -> Contents {
        do {
            return try JSONDecoder().decode(type, from: json)
        } catch {
            throw GestureNetworkError(description: "\(name): is damaged: no \(kind)")
        }
    }
}
