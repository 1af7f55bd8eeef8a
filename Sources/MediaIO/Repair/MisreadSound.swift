internal import CFFmpeg
import Platform

/// Uncompressed sound in MP4 and QuickTime files that FFmpeg before release 6.1 reads wrongly: it takes all sound with
/// the codes `ipcm` and `fpcm` (ISO/IEC 23003-5) for one sample format, and so cuts it into wrong samples.
enum MisreadSound {
    /// The form of samples of uncompressed sound.
    private struct SampleForm: Hashable {
        var bits: Int
        var isLittleEndian: Bool

        var words: String { "\(bits)-bit \(isLittleEndian ? "little" : "big")-endian" }
    }

    /// The size of a sound's sample entry before its boxes, in bytes (ISO/IEC 14496-12, 12.2.3).
    private static let entrySize = 28

    /// Returns the reasons why streams cannot be copied, although FFmpeg returns packets of them, by the streams'
    /// indices.
    static func reasons(_ input: InputContext, _ streams: [StreamInfo], file: OpenFile?) -> [Int: String] {
        let sound = streams.filter { $0.codecTag == "ipcm" || $0.codecTag == "fpcm" }
        if sound.isEmpty { return [:] }
        let forms = file.map { sampleForms(in: $0.descriptor) }
        var reasons: [Int: String] = [:]
        for info in sound {
            let stream = input.stream(info.index)
            let bits = Int(av_get_bits_per_sample(stream.parameters.codec_id))
            let read = SampleForm(bits: bits, isLittleEndian: info.codec.hasSuffix("le"))
            let stated = forms?[stream.id]
            if stated == read { continue }
            let form = stated.map { "\($0.words) samples" } ?? "samples of an unknown form"
            reasons[info.index] =
                "FFmpeg \(MediaLibraries.release) misreads \(info.codecTag ?? "") (PCM with \(form)); FFmpeg 6.1 reads it"
        }
        return reasons
    }

    /// Returns the forms that the boxes `pcmC` state, by track id.
    private static func sampleForms(in descriptor: Int32) -> [Int32: SampleForm] {
        var forms: [Int32: SampleForm] = [:]
        for (id, track) in MP4FileBox.tracks(of: descriptor) {
            guard let table = track.box("mdia/minf/stbl/stsd", of: descriptor), let bytes = table.bytes(descriptor)
            else { continue }
            for entry in MP4Box.all(of: bytes, from: 8, to: bytes.count) {
                let boxes = MP4Box.all(of: bytes, from: entry.content + entrySize, to: entry.end)
                guard let box = boxes.first(where: { $0.name == "pcmC" }), box.content + 6 <= box.end else { continue }
                forms[id] = SampleForm(
                    bits: Int(bytes[box.content + 5]), isLittleEndian: bytes[box.content + 4] & 1 != 0)
            }
        }
        return forms
    }
}
