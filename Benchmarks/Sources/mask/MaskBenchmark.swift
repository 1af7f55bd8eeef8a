import Foundation
import Pipeline
import Platform
import Puppet
import Raster
import Vision

/// Measures the mask of people: the matte of Portrait, beside the confidence of the segmentation model as such, enlarged
/// to the picture. The truth is the puppet's opacity, drawn over moving and still backgrounds with a camera's noise.
///
/// Exits with 1 if the matte is not 30 % better on each measure.
@main
struct MaskBenchmark {
    /// The share by which each measure must be lower than that of the model as such.
    private static let wanted = 0.3

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let json = value(of: "--json", in: arguments)
        var rows: [(name: String, bare: MaskScore, matte: MaskScore)] = []
        var seconds = 0.0, frames = 0
        print("background   mean difference ‰     gradient error       flicker ‰")
        print("             model    matte        model    matte       model    matte")
        for background in MaskBackground.all {
            let run = MaskRun(background: background)
            let result = try run.measure()
            rows.append((background.name, result.bare, result.matte))
            seconds += result.seconds
            frames += result.frames
            print(line(background.name, result.bare, result.matte))
        }
        let bare = MaskScore.mean(rows.map(\.bare)), matte = MaskScore.mean(rows.map(\.matte))
        print(line("mean", bare, matte))
        let gains = zip(matte.values, bare.values).map { 1 - $0 / $1 }
        print("lower by     " + gains.map { "\(Int(($0 * 100).rounded())) %" }.joined(separator: ", "))
        print("matte: \(text(1000 * seconds / Double(frames))) ms a frame, without the model")
        if let json {
            let figures = rows.map { row in
                "{\"background\":\"\(row.name)\",\"model\":\(row.bare.json),\"matte\":\(row.matte.json)}"
            }
            try Data("[\(figures.joined(separator: ","))]\n".utf8).write(to: URL(filePath: json))
        }
        try printFootage(arguments)
        guard gains.allSatisfy({ $0 >= wanted }) else {
            print("the matte must be \(Int(wanted * 100)) % better on each measure")
            exit(1)
        }
    }

    /// Returns the word after an option; `nil` if there is none.
    private static func value(of option: String, in arguments: [String]) -> String? {
        arguments.firstIndex(of: option).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
    }

    /// Prints the measures of real footage, if it is at hand: in `--footage FOLDER`, or beside the project.
    private static func printFootage(_ arguments: [String]) throws {
        let folder = URL(filePath: value(of: "--footage", in: arguments) ?? "../shared/media/videos")
        var bare: [MaskFootage.Score] = [], matte: [MaskFootage.Score] = []
        for path in MaskFootage.clips {
            guard let result = try MaskFootage(path: path, folder: folder).measure() else { continue }
            if bare.isEmpty {
                print("\nfootage, beside a careful estimate   wrong ‰           flicker ‰")
                print("                                     model    matte    model    matte")
            }
            bare.append(result.bare)
            matte.append(result.matte)
            print(line(path, [(result.bare.wrong, result.matte.wrong), (result.bare.flicker, result.matte.flicker)]))
        }
        guard !bare.isEmpty else { return print("\nno footage in \(folder.path)") }
        func mean(_ scores: [MaskFootage.Score], _ value: KeyPath<MaskFootage.Score, Double>) -> Double {
            scores.reduce(0) { $0 + $1[keyPath: value] } / Double(scores.count)
        }
        print(
            line(
                "mean",
                [\.wrong, \.flicker].map { (mean(bare, $0), mean(matte, $0)) }))
    }

    private static func line(_ path: String, _ columns: [(Double, Double)]) -> String {
        let name = path.split(separator: "/").last.map { String($0.prefix(34)) } ?? path
        return name.padded(to: 35) + columns.map { pad(text($0.0), 8) + pad(text($0.1), 9) }.joined(separator: " ")
    }

    private static func line(_ name: String, _ bare: MaskScore, _ matte: MaskScore) -> String {
        let columns = zip(bare.values, matte.values).map { pad(text($0), 8) + pad(text($1), 9) }
        return name.padded(to: 10) + columns.joined(separator: "   ")
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func text(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// The measures of a mask: lower is better.
struct MaskScore {
    /// The mean absolute difference to the truth, in thousandths.
    var difference = 0.0
    /// The sum of squared differences of the gradients' magnitudes, in thousands a frame (Rhemann et al., 2009).
    var gradient = 0.0
    /// The mean change from frame to frame beside edges at rest, in thousandths.
    var flicker = 0.0

    var values: [Double] { [difference, gradient, flicker] }

    var json: String { "{\"difference\":\(difference),\"gradient\":\(gradient),\"flicker\":\(flicker)}" }

    static func mean(_ scores: [MaskScore]) -> MaskScore {
        let count = Double(scores.count)
        return MaskScore(
            difference: scores.reduce(0) { $0 + $1.difference } / count,
            gradient: scores.reduce(0) { $0 + $1.gradient } / count,
            flicker: scores.reduce(0) { $0 + $1.flicker } / count)
    }
}
