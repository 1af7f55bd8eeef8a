internal import CFFmpeg

extension Muxer {
    @unsafe
    static func copyChapters(
        _ output: UnsafeMutablePointer<AVFormatContext>, _ input: UnsafeMutablePointer<AVFormatContext>
    ) {
        let count = unsafe Int(input.pointee.nb_chapters)
        guard count > 0, let raw = unsafe av_calloc(count, MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride)
        else { return }
        let list = unsafe raw.bindMemory(to: UnsafeMutablePointer<AVChapter>?.self, capacity: count)
        for index in 0..<count {
            let from = unsafe input.pointee.chapters[index]!
            guard let memory = unsafe av_mallocz(MemoryLayout<AVChapter>.size) else { break }
            let to = unsafe memory.bindMemory(to: AVChapter.self, capacity: 1)
            unsafe to.pointee.id = from.pointee.id
            unsafe to.pointee.time_base = from.pointee.time_base
            unsafe to.pointee.start = from.pointee.start
            unsafe to.pointee.end = from.pointee.end
            unsafe av_dict_copy(&to.pointee.metadata, from.pointee.metadata, 0)
            unsafe list[index] = unsafe to
            unsafe output.pointee.nb_chapters += 1
        }
        unsafe output.pointee.chapters = list
    }
}
