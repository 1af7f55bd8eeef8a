import MediaIO
import Platform
import Reactions

extension PipelineRequest {
    /// Whether an output that ends before its input does is a part, and must not be taken for the whole. What is live
    /// has no other end than the one that somebody gives it.
    package var marksPart: Bool { Self.marksPart(of: input, configuration) }

    /// The same of what is made of an input without a run.
    package static func marksPart(of input: String, _ configuration: Configuration) -> Bool {
        guard !configuration.keepsPartialOutput, !configuration.isLive else { return false }
        return input == "-" ? DescriptorInput.isPlainFile(0) : RecordedFile.size(of: input) != nil
    }

    /// Whether the output is a file, for which nobody waits while it is written.
    package var writesFile: Bool {
        guard let file = output.flatMap({ MediaAddress($0).filePath }) else { return false }
        return !TemporaryFile.isSpecial(file)
    }

    /// Whether the output is a video, and not pictures of an overlay.
    var writesVideo: Bool { output != nil && pictures == nil }

    /// What takes an overlay as pictures; `nil` where it is none, or a video.
    var pictures: PictureSequence? {
        guard configuration.writesOverlay, let output else { return nil }
        return PictureSequence(output, overwrite: configuration.overwrite)
    }
}

extension PipelineRequest {
    /// Removes what an earlier run to the same output left when it was killed; that will be told.
    package mutating func removeLeftovers() { forewarnings += Leftovers.remove(of: output) }
}
