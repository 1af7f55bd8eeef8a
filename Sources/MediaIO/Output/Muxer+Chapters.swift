internal import CFFmpeg

extension Muxer {
    /// - Returns: FFmpeg's code, below 0 where there is no memory for them.
    @unsafe
    static func copyChapters(
        _ output: UnsafeMutablePointer<AVFormatContext>, _ source: Demuxer
    ) -> Int32 {
        let input = unsafe source.context
        // Of a part of the recording, on the part's clock.
        let cut = source.stretch
        let end = cut.flatMap { _ in source.duration } ?? MediaTime(value: .max, timeBase: Rational(1, 1_000_000))
        let count = unsafe Int(input.pointee.nb_chapters)
        guard count > 0 else { return 0 }
        guard let raw = unsafe av_calloc(count, MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride) else {
            return cffmpeg_error_enomem
        }
        let list = unsafe raw.bindMemory(to: UnsafeMutablePointer<AVChapter>?.self, capacity: count)
        // FFmpeg frees with the output what stands there.
        unsafe output.pointee.chapters = list
        for index in 0..<count {
            let from = unsafe input.pointee.chapters[index]!
            let base = unsafe Rational(from.pointee.time_base)
            let offset = cut.map { MediaTime(seconds: $0.start).rescaled(to: base).value } ?? 0
            let last = min(end, unsafe MediaTime(value: from.pointee.end - offset, timeBase: base))
            let first = unsafe MediaTime(value: from.pointee.start - offset, timeBase: base)
            if cut != nil, last <= .zero || first >= end { continue }
            guard let memory = unsafe av_mallocz(MemoryLayout<AVChapter>.size) else { return cffmpeg_error_enomem }
            let to = unsafe memory.bindMemory(to: AVChapter.self, capacity: 1)
            unsafe to.pointee.id = from.pointee.id
            unsafe to.pointee.time_base = from.pointee.time_base
            unsafe to.pointee.start = cut == nil ? from.pointee.start : max(first.value, 0)
            unsafe to.pointee.end = cut == nil ? from.pointee.end : last.rescaled(to: base).value
            unsafe list[Int(output.pointee.nb_chapters)] = unsafe to
            unsafe output.pointee.nb_chapters += 1
            let status = unsafe av_dict_copy(&to.pointee.metadata, from.pointee.metadata, 0)
            if status < 0 { return status }
        }
        return 0
    }
}
