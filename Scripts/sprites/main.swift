// Draws a modelled sprite and writes it to standard output as rows of RGBA.
// Usage: sprites thumbUp|thumbDown|balloon|heart SIZE
import Foundation

let size = Int(CommandLine.arguments[2])!
let rows = switch CommandLine.arguments[1] {
case "thumbUp": render(Hand(flip: 1), size: size)
case "thumbDown": render(Hand(flip: -1), size: size)
case "balloon": render(Balloon(), size: size)
default: render(Heart(), size: size)
}
FileHandle.standardOutput.write(Data(rows))
