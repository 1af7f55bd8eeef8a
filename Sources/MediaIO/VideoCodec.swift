/// The codecs that can be written.
package enum VideoCodec: String, Sendable, Hashable, CaseIterable {
    case h264, hevc, vp9, av1
}
