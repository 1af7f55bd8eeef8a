/// The properties of a coded picture, read from its packet without decoding.
package struct CodedPicture: Sendable, Hashable {
    package enum Role: UInt8, Sendable, Hashable {
        /// Decoding can begin here, and no later picture refers to an earlier picture: an IDR picture of H.264 and
        /// HEVC, or a key frame of other codecs.
        case entry
        /// An HEVC CRA picture, or a recovery point of H.264. Decoding can begin here, but its ``skippedLeading``
        /// pictures refer to earlier pictures.
        case openEntry
        /// An HEVC RASL picture, or its equivalent in H.264. It is shown before the ``openEntry`` that it follows, and
        /// cannot be decoded if decoding begins there.
        case skippedLeading
        /// The picture refers to earlier pictures.
        case dependent
    }

    /// The presentation time, in ticks of the stream's time base.
    package var presentationTime: Int64
    /// The decoding time in ticks; nil if the file does not state it.
    package var decodingTime: Int64?
    /// The duration in ticks; 0 if the file does not state it.
    package var duration: Int64 = 0
    /// The size of the packet in bytes.
    package var size: Int32 = 0
    package var role: Role
    /// True if the picture is decoded as a reference, but never shown, for example because the file's edit list hides
    /// it.
    package var isDiscarded = false
    /// True if the picture is outside the trim range. It is decoded like a discarded picture, but not copied.
    package var isCutAway = false
}
