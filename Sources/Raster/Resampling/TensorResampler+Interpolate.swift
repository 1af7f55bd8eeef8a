/// The second step: bilinear interpolation between boxes, and conversion to R′G′B′.
extension TensorResampler {
    /// Begins a tensor.
    mutating func begin(_ grids: BoxGrids, width: Int) {
        if grids.areStraight {
            lumaRows.begin(grids.luma, width: width)
            cbRows.begin(grids.chroma, width: width)
            crRows.begin(grids.chroma, width: width)
        }
        if lumaRow.count != width {
            lumaRow = [Float](repeating: 0, count: width)
            cbRow = lumaRow
            crRow = lumaRow
        }
    }

    /// Fills ``lumaRow``, ``cbRow`` and ``crRow``.
    ///
    /// Where rows of the tensor follow rows of boxes, each row of boxes is stretched to the tensor's width once, and
    /// rows are then mixed as a whole; to the bit the same as pixel by pixel, which turned tensors take.
    /// - Returns: where the row lies in the plane of luma.
    @discardableResult
    mutating func interpolate(_ grids: BoxGrids, row y: Int) -> BilinearRow {
        let place = BilinearRow(grids.luma, y: y), chroma = BilinearRow(grids.chroma, y: y)
        if grids.areStraight {
            lumaRows.mix(luma, at: place, into: &lumaRow)
            cbRows.mix(cb, at: chroma, into: &cbRow)
            crRows.mix(cr, at: chroma, into: &crRow)
        } else {
            place.read(luma, into: &lumaRow)
            chroma.read(cb, cr, into: &cbRow, &crRow)
        }
        return place
    }

    /// Converts the rows that were filled last into one of the tensor.
    func convert(_ conversion: RGBConversion, into row: inout MutableSpan<Float>) {
        let luma = lumaRow.span, cb = cbRow.span, cr = crRow.span
        for i in 0..<luma.count {
            let value = conversion.rgb(luma[i], cb[i], cr[i])
            row[3 &* i] = value.red
            row[3 &* i &+ 1] = value.green
            row[3 &* i &+ 2] = value.blue
        }
    }
}
