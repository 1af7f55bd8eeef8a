/// The content of an H.264 sequence parameter set (ITU-T H.264, 7.3.2.1.1): the limits that it states for decoders,
/// which segments that are encoded again must not exceed, and the syntax of slice headers.
package struct SequenceLimits: Sendable, Hashable {
    /// `profile_idc`.
    package var profile: Int
    /// `level_idc`: ten times the level.
    package var level: Int
    /// The `constraint_set` flags, the first one in the highest bit.
    package var constraints: UInt8
    /// `max_num_ref_frames`.
    package var referenceFrames: Int
    /// True if pictures, or parts of them, may be coded as two fields.
    package var mayBeInterlaced: Bool
    /// True if blocks with the finest quantiser are coded without loss, bypassing the transform.
    package var mayBeLossless = false
    /// `seq_parameter_set_id`.
    let id: Int
    /// `chroma_format_idc`: 0 for grey, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    private(set) var chromaFormat = 1
    /// `separate_colour_plane_flag`.
    private(set) var hasSeparatePlanes = false
    /// `seq_scaling_matrix_present_flag`.
    private(set) var hasScalingMatrix = false
    /// The number of bits of `frame_num`.
    let frameNumberBits: Int
    /// `pic_order_cnt_type`.
    let orderType: Int
    /// The number of bits of `pic_order_cnt_lsb`; 0 unless ``orderType`` is 0.
    let orderBits: Int

    /// - Parameter unit: A sequence parameter set with its header.
    init(_ unit: [UInt8]) {
        var reader = BitReader(NALUnit.unescaped(unit.dropFirst()))
        profile = Int(reader.bits(8))
        constraints = UInt8(reader.bits(8))
        level = Int(reader.bits(8))
        id = Int(reader.unsigned())
        if Self.profilesWithFormat.contains(profile) {
            let format = Self.readFormat(&reader)
            (chromaFormat, hasSeparatePlanes) = (format.chroma, format.hasSeparatePlanes)
            (mayBeLossless, hasScalingMatrix) = (format.bypassesTransform, format.hasScalingMatrix)
        }
        frameNumberBits = Int(min(reader.unsigned(), 12)) + 4
        orderType = Int(reader.unsigned())
        switch orderType {
        case 0: orderBits = Int(min(reader.unsigned(), 12)) + 4
        case 1:
            orderBits = 0
            _ = reader.bit()
            reader.skipCodes(2)
            reader.skipCodes(Int(min(reader.unsigned(), 255)))
        default: orderBits = 0
        }
        referenceFrames = Int(min(reader.unsigned(), 16))
        _ = reader.bit()
        reader.skipCodes(2)
        mayBeInterlaced = !reader.bit()
    }

    private static let profilesWithFormat: Set<Int> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    private struct Format {
        var chroma: Int
        var hasSeparatePlanes = false
        /// `qpprime_y_zero_transform_bypass_flag`.
        var bypassesTransform = false
        var hasScalingMatrix = false
    }

    private static func readFormat(_ reader: inout BitReader) -> Format {
        var format = Format(chroma: Int(min(reader.unsigned(), 3)))
        if format.chroma == 3 { format.hasSeparatePlanes = reader.bit() }
        reader.skipCodes(2)
        format.bypassesTransform = reader.bit()
        format.hasScalingMatrix = reader.bit()
        guard format.hasScalingMatrix else { return format }
        for list in 0..<(format.chroma == 3 ? 12 : 8) where reader.bit() {
            skipScalingList(&reader, size: list < 6 ? 16 : 64)
        }
        return format
    }

    /// Skips a scaling list (7.3.2.1.1.1).
    private static func skipScalingList(_ reader: inout BitReader, size: Int) {
        var (last, next): (Int32, Int32) = (8, 8)
        for _ in 0..<size {
            if next != 0 { next = (last &+ reader.signed() &+ 256) & 255 }
            if next != 0 { last = next }
        }
    }
}

/// The fields of an H.264 picture parameter set that determine the syntax of slice headers (ITU-T H.264, 7.3.2.2).
struct AVCPictureParameters: Sendable, Hashable {
    /// `seq_parameter_set_id`.
    let sequence: Int
    /// `entropy_coding_mode_flag`.
    let usesArithmeticCoding: Bool
    /// `bottom_field_pic_order_in_frame_present_flag`.
    let hasBottomOrder: Bool
    /// `num_slice_groups_minus1` + 1.
    let sliceGroups: Int
    /// `num_ref_idx_l0_default_active_minus1` + 1.
    let references: Int
    /// `num_ref_idx_l1_default_active_minus1` + 1.
    let laterReferences: Int
    /// `weighted_pred_flag`.
    let weightsPrediction: Bool
    /// `weighted_bipred_idc` = 1: slices of type B contain weights.
    let weightsBothDirections: Bool
    /// `deblocking_filter_control_present_flag`.
    let controlsDeblocking: Bool
    /// `redundant_pic_cnt_present_flag`.
    let hasRedundantPictures: Bool

    /// - Parameter unit: A picture parameter set with its header.
    init(_ unit: [UInt8]) {
        var reader = BitReader(NALUnit.unescaped(unit.dropFirst()))
        _ = reader.unsigned()
        sequence = Int(min(reader.unsigned(), 31))
        usesArithmeticCoding = reader.bit()
        hasBottomOrder = reader.bit()
        sliceGroups = Int(min(reader.unsigned(), 7)) + 1
        references = Int(min(reader.unsigned(), 31)) + 1
        laterReferences = Int(min(reader.unsigned(), 31)) + 1
        weightsPrediction = reader.bit()
        weightsBothDirections = reader.bits(2) == 1
        reader.skipCodes(3)
        controlsDeblocking = reader.bit()
        _ = reader.bit()
        hasRedundantPictures = reader.bit()
    }
}
