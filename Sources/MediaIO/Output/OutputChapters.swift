internal import CFFmpeg

/// The chapters of an output: copies of the source's, and those that are added at the end of a file.
extension OutputLayout {
    /// Adds chapters to those of the source, in the order of their starts. In MP4 and QuickTime, a chapter at 0 precedes
    /// them if none begins there.
    func add(_ chapters: [Chapter]) throws(MediaError) {
        for chapter in chapters { try append(chapter) }
        unsafe sortChapters()
        // The text track of chapters has no offset: readers move its first chapter to 0.
        guard target.isMP4, let first = unsafe self.chapters.first.map({ unsafe Self.start(of: $0) }), first.value > 0
        else { return }
        try append(Chapter(start: MediaTime(value: 0, timeBase: first.timeBase), end: first, title: Self.opening))
        unsafe sortChapters()
    }

    /// The title of the chapter that precedes the first one.
    private static let opening = "start"

    /// The chapters, as long as none is added.
    @unsafe
    private var chapters: [UnsafeMutablePointer<AVChapter>] {
        unsafe (0..<Int(context.nb_chapters)).compactMap { unsafe context.chapters[$0] }
    }

    @unsafe
    private static func start(of chapter: UnsafeMutablePointer<AVChapter>) -> MediaTime {
        unsafe MediaTime(value: chapter.pointee.start, timeBase: Rational(chapter.pointee.time_base))
    }

    private func append(_ chapter: Chapter) throws(MediaError) {
        let base = chapter.start.timeBase
        let to = unsafe try appendChapter(
            start: chapter.start.value, end: chapter.end.rescaled(to: base).value, timeBase: base)
        try MediaError.demandMemory(unsafe av_dict_set(&to.pointee.metadata, "title", chapter.title ?? "", 0), path)
    }

    /// Appends a chapter without tags. FFmpeg frees it with the context.
    @unsafe
    private func appendChapter(
        start: Int64, end: Int64, timeBase: TimeBase
    ) throws(MediaError) -> UnsafeMutablePointer<AVChapter> {
        guard let memory = unsafe av_mallocz(MemoryLayout<AVChapter>.size) else { throw .outOfMemory(path) }
        var count = Int32(context.nb_chapters)
        guard unsafe av_dynarray_add_nofree(&context.pointer.pointee.chapters, &count, memory) >= 0 else {
            unsafe av_free(memory)
            throw .outOfMemory(path)
        }
        context.nb_chapters = UInt32(count)
        let chapter = unsafe memory.bindMemory(to: AVChapter.self, capacity: 1)
        unsafe chapter.pointee.time_base = timeBase.avRational
        unsafe (chapter.pointee.start, chapter.pointee.end) = (start, end)
        return unsafe chapter
    }

    /// Sorts the chapters by their starts, and numbers them from 1. Matroska requires positive numbers, and QuickTime's
    /// reader numbers chapters by their order.
    @unsafe
    private func sortChapters() {
        let all = unsafe chapters
        let starts = unsafe all.map { unsafe Self.start(of: $0) }
        let order = starts.indices.sorted { starts[$0] == starts[$1] ? $0 < $1 : starts[$0] < starts[$1] }
        for (place, index) in order.enumerated() {
            unsafe context.chapters[place] = unsafe all[index]
            unsafe all[index].pointee.id = Int64(place + 1)
        }
    }

    /// Copies the source's chapters. Those of a trim range are moved to its clock.
    func copyChapters(of source: Demuxer) throws(MediaError) {
        for index in 0..<Int(source.input.nb_chapters) {
            let from = unsafe source.input.chapters[index]!
            let base = unsafe Rational(from.pointee.time_base)
            var (start, end) = unsafe (from.pointee.start, from.pointee.end)
            if let trim = source.trim {
                let limit = source.duration ?? MediaTime(value: .max, timeBase: Rational(1, 1_000_000))
                let offset = MediaTime(seconds: trim.start).rescaled(to: base).value
                let first = Self.moved(start, by: offset, base)
                let last = min(limit, Self.moved(end, by: offset, base))
                if last <= .zero || first >= limit { continue }
                (start, end) = (max(first.value, 0), last.rescaled(to: base).value)
            }
            let to = unsafe try appendChapter(start: start, end: end, timeBase: base)
            unsafe to.pointee.id = from.pointee.id
            try MediaError.demandMemory(unsafe av_dict_copy(&to.pointee.metadata, from.pointee.metadata, 0), path)
        }
    }

    /// Returns an earlier time, clamped: a damaged chapter may have any times.
    private static func moved(_ time: Int64, by offset: Int64, _ base: TimeBase) -> MediaTime {
        let (value, isTooLarge) = time.subtractingReportingOverflow(offset)
        return MediaTime(value: isTooLarge ? (time < 0 ? .min : .max) : value, timeBase: base)
    }
}
