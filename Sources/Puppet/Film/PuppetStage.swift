package import FoundationEssentials
package import Raster

/// Draws the pictures of a film with one caller or several, and knows the film's ground truth. ``PuppetFilm`` calls it
/// on several threads at once.
package protocol PuppetStage: Sendable {
    /// The film's size, rate, duration and poses.
    var script: PuppetScript { get }
    var format: PictureFormat { get }
    /// The seed of the voice on the sound track.
    var seed: UInt32 { get }

    /// Draws a frame over the whole of a picture in the stage's format.
    func draw(frame: Int, into picture: inout MutablePicture)

    /// Encodes the ground truth.
    func truth(by encoder: JSONEncoder) throws -> Data
}

extension PuppetDirector: PuppetStage {
    package var seed: UInt32 { appearance.seed }

    package func truth(by encoder: JSONEncoder) throws -> Data { try encoder.encode(truth) }
}

extension PuppetGalleryDirector: PuppetStage {
    package var script: PuppetScript { gallery.script }
    package var seed: UInt32 { 1 }

    package func truth(by encoder: JSONEncoder) throws -> Data { try encoder.encode(truth) }
}

extension PuppetFilm {
    /// Reads the script of a call with one caller or several.
    /// - Throws: ``PuppetError`` if the script cannot be read, or requests something impossible.
    package init(path: String) throws(PuppetError) {
        if let gallery = try PuppetGallery(path: path) {
            try self.init(gallery: gallery)
        } else {
            try self.init(script: PuppetScript(path: path))
        }
    }
}
