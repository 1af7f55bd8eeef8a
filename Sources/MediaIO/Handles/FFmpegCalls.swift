internal import CFFmpeg

/// Throws the error that a closure makes of a negative status of FFmpeg; other statuses are returned.
@discardableResult
func check(_ status: Int32, _ failure: (Int32) -> MediaError) throws(MediaError) -> Int32 {
    if status < 0 { throw failure(status) }
    return status
}

extension [UInt8] {
    /// Copies bytes of FFmpeg; empty if there are none.
    @unsafe
    init(_ start: UnsafePointer<UInt8>?, count: Int) {
        self = unsafe start.map { unsafe Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
    }
}

extension String {
    /// Copies a text of FFmpeg; nil if there is none.
    @unsafe
    init?(_ text: UnsafePointer<CChar>?) {
        guard let text = unsafe text else { return nil }
        self = unsafe String(cString: text)
    }
}

extension [String: String] {
    /// Copies an `AVDictionary`; nil is an empty one.
    @unsafe
    init(_ dictionary: OpaquePointer?) {
        self.init()
        var entry: UnsafeMutablePointer<AVDictionaryEntry>? = nil
        while let next = unsafe av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            unsafe self[String(cString: next.pointee.key)] = unsafe String(cString: next.pointee.value)
            unsafe entry = unsafe next
        }
    }
}
