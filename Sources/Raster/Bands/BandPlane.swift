/// The memory of one channel of a canvas. A plane has a fixed size, initially contains zeros, and is freed with its
/// owner (a brush or a part of one), on whose thread it is used.
///
/// Rows are returned as checked ranges, with one check for each row. The kernels then run without a check for each
/// sample.
@safe
struct BandPlane: ~Copyable {
    /// The number of samples beyond the end that kernels may access when they round a row up.
    static let slack = 32

    private let base: UnsafeMutablePointer<UInt16>
    let count: Int

    init(count: Int) {
        unsafe base = .allocate(capacity: count + Self.slack)
        unsafe base.initialize(repeating: 0, count: count + Self.slack)
        self.count = count
    }

    deinit { unsafe base.deallocate() }

    /// Returns the address of `length` samples from `start` on.
    /// - Precondition: The samples are within the plane or its slack.
    @inline(__always)
    @unsafe func samples(from start: Int, _ length: Int) -> UnsafeMutablePointer<UInt16> {
        precondition(start >= 0 && length >= 0 && start + length <= count + Self.slack)
        return unsafe base + start
    }

    /// Returns the samples from `start` on for reading.
    @inline(__always)
    @unsafe func buffer(from start: Int, _ length: Int) -> UnsafeBufferPointer<UInt16> {
        unsafe UnsafeBufferPointer(start: samples(from: start, length), count: length)
    }

    /// Returns the samples from `start` on for writing.
    @inline(__always)
    @unsafe func mutableBuffer(from start: Int, _ length: Int) -> UnsafeMutableBufferPointer<UInt16> {
        unsafe UnsafeMutableBufferPointer(start: samples(from: start, length), count: length)
    }

    subscript(index: Int) -> UInt16 {
        get {
            precondition(index >= 0 && index < count)
            return unsafe base[index]
        }
        nonmutating set {
            precondition(index >= 0 && index < count)
            unsafe base[index] = newValue
        }
    }

    func clear(from start: Int, _ length: Int) {
        unsafe samples(from: start, length).update(repeating: 0, count: length)
    }
}

/// The colours of a canvas: premultiplied, each in a separate plane.
struct BandColours: ~Copyable {
    let red, green, blue: BandPlane

    init(count: Int) {
        red = BandPlane(count: count)
        green = BandPlane(count: count)
        blue = BandPlane(count: count)
    }

    func clear(from start: Int, _ length: Int) {
        red.clear(from: start, length)
        green.clear(from: start, length)
        blue.clear(from: start, length)
    }

    /// Multiplies samples by shares; 2¹⁶ is 1.
    func scale(_ start: Int, by shares: Span<UInt16>) {
        BandRows.scale(red, start, by: shares)
        BandRows.scale(green, start, by: shares)
        BandRows.scale(blue, start, by: shares)
    }
}

/// A colour for ``BandCanvas``: premultiplied, in steps of 1 / ``BandGrid/one``.
///
/// Alpha is the hidden share of the background. Colour without alpha is light: it brightens the picture and hides
/// nothing. Any mixture is allowed, such as a glow that also veils a little, and is therefore visible in front of a
/// white wall.
package struct BandColour: Sendable, Hashable {
    package var red, green, blue, alpha: UInt16
    private let opacity: Double

    /// - Parameters:
    ///   - red, green, blue: Non-linear (gamma-coded) components, 0…1, not premultiplied.
    ///   - opacity: 0…1.
    ///   - light: 0 for matter, which hides its ground; 1 for pure light.
    package init(red: Double, green: Double, blue: Double, opacity: Double, light: Double = 0) {
        func fixed(_ x: Double) -> UInt16 {
            UInt16((min(max(x, 0), 1) * Double(BandGrid.one)).rounded())
        }
        self.opacity = min(max(opacity, 0), 1)
        self.red = fixed(red * opacity)
        self.green = fixed(green * opacity)
        self.blue = fixed(blue * opacity)
        alpha = fixed(opacity * (1 - light))
    }

    /// Returns the colour in the encoding of a canvas.
    func encoded(by encoding: ColourEncoding) -> BandColour {
        if encoding.isStandard || opacity <= 0 { return self }
        let one = Double(BandGrid.one) * opacity
        let code = encoding.encode(
            red: min(Double(red) / one, 1), green: min(Double(green) / one, 1),
            blue: min(Double(blue) / one, 1))
        var colour = BandColour(red: code.red, green: code.green, blue: code.blue, opacity: opacity)
        colour.alpha = alpha
        return colour
    }
}

/// The constants shared by all parts of a ``BandCanvas``.
package enum BandGrid {
    /// The sample value that represents 1.
    package static let one: UInt16 = 1 << 14
    /// The size of a block, in pixels. A band is one row of blocks.
    package static let blockWidth = 32
    package static let bandHeight = 16
    /// The pixels from one coarse sample to the next.
    static let coarseStep = 4
}
