internal import CFFmpeg

/// Options by FFmpeg's names, for a call that opens something. The call removes the options that it knows.
///
/// `AVDictionary`
@safe
final class OptionDictionary {
    var pointer: OpaquePointer?

    /// - throws: ``MediaError`` of the code `internal`.
    init(_ options: some Sequence<(String, String)> = [], file: String = "") throws(MediaError) {
        unsafe pointer = nil
        for (name, value) in options { try set(name, value, file: file) }
    }

    deinit { unsafe av_dict_free(&pointer) }

    /// Adds an option, or replaces its value.
    /// - throws: ``MediaError`` of the code `internal`.
    func set(_ name: String, _ value: String, file: String = "") throws(MediaError) {
        try MediaError.demandMemory(unsafe av_dict_set(&pointer, name, value, 0), file)
    }

    /// The names of the options that no call has removed.
    var unused: [String] { unsafe [String: String](pointer).keys.sorted() }
}
