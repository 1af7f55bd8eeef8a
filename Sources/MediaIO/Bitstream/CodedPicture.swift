/// What a packet says of the picture in it, without being decoded.
package struct CodedPicture: Sendable, Hashable {
    package enum Role: UInt8, Sendable, Hashable {
        /// Decoding may begin here, and nothing after it refers to anything before: an IDR picture of H.264 and
        /// HEVC, a key frame of other codecs.
        case entry
        /// An HEVC CRA picture: decoding may begin here, but its ``skippedLeading`` pictures refer to what is before.
        case openEntry
        /// An HEVC RASL picture: it is shown before the ``openEntry`` that it follows, and cannot be decoded where
        /// decoding begins there.
        case skippedLeading
        /// It refers to pictures before it.
        case dependent
    }

    /// Ticks of the stream's time base.
    package var presentationTime: Int64
    /// Ticks; nil where the file does not say.
    package var decodingTime: Int64?
    /// Ticks; 0 where the file does not say.
    package var duration: Int64
    /// Bytes.
    package var size: Int32
    package var role: Role
    /// Whether it is decoded for the sake of others only, as what a file's edit list cuts off.
    package var isDiscarded: Bool
    /// Whether it lies outside of the stretch of the recording that is wanted. It is decoded like a discarded one, but not
    /// copied.
    package var isCutAway: Bool

    package init(
        presentationTime: Int64, decodingTime: Int64?, duration: Int64 = 0, size: Int32 = 0, role: Role,
        isDiscarded: Bool = false, isCutAway: Bool = false
    ) {
        self.presentationTime = presentationTime
        self.decodingTime = decodingTime
        self.duration = duration
        self.size = size
        self.role = role
        self.isDiscarded = isDiscarded
        self.isCutAway = isCutAway
    }
}
