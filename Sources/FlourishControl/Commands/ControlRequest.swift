package import Flourish
import FoundationEssentials

/// A client's request: a line of JSON, as in mpv's JSON IPC (https://mpv.io/manual/stable/#json-ipc).
///
/// ```
/// {"command": "perform", "reactionType": "balloons", "request_id": 7}
/// ```
package struct ControlRequest: Sendable, Hashable {
    /// The number or text that the reply repeats, so that the client can match it; `nil` if the request has none.
    package var id: ControlValue?
    /// The command, or the error that parsing returned.
    package var command: Result<ControlCommand, ControlError>

    /// Parses a line. A line that is no request becomes a request whose command is an error.
    ///
    /// ```swift
    /// let request = ControlRequest(line: Array(#"{"command": "get", "name": "quality"}"#.utf8))
    /// switch request.command {
    /// case .success(let command): print(command)
    /// case .failure(let error): print(error.message)
    /// }
    /// ```
    package init(line: some Sequence<UInt8>) {
        do {
            self = try JSONDecoder().decode(ControlRequest.self, from: Data(line))
        } catch {
            self.init(id: nil, command: .failure(ControlError("the line is not a JSON object")))
        }
    }

    init(id: ControlValue?, command: Result<ControlCommand, ControlError>) {
        self.id = id
        self.command = command
    }

    /// Returns the reply to the request as a line, such as `{"error": "success", "request_id": 7}`, with data if there
    /// is any.
    package func answer(_ result: Result<ControlValue?, ControlError>) -> String {
        var fields: [String: ControlValue] = [:]
        fields["request_id"] = id
        switch result {
        case .success(let data):
            fields["error"] = .text("success")
            fields["data"] = data
        case .failure(let error): fields["error"] = .text(error.message)
        }
        return ControlValue.object(fields).json
    }

    /// Returns the reply to input that is no request, as a line.
    static func refusal(_ message: String) -> String {
        let error = ControlError(message)
        return ControlRequest(id: nil, command: .failure(error)).answer(.failure(error))
    }
}

/// A command of the control protocol.
package enum ControlCommand: Sendable, Hashable {
    /// Shows an effect from the next frame on.
    case perform(ReactionType, origin: PicturePoint?)
    /// Ends effects with the next frame: all effects, or the effects of a type.
    case cancel(ReactionType?)
    /// Ends the effect with a number, with the next frame.
    case cancelEffect(id: Int)
    /// Changes a property.
    case set(String, ControlValue)
    /// Reads one property, or all properties.
    case get(String?)
    /// Subscribes to all events, after the effects in progress.
    case observe
    /// Captures the output's next frame as PNG, into a file or into the reply.
    case snapshot(path: String?)
    /// Captures a photograph of an instant or of the newest frame, into the run's folder.
    case photo(time: Double?, PhotoQualityPrioritization?)
    /// Ends the run as if the input ended at this point.
    case quit

    /// The names of all commands.
    static let names = ["perform", "cancel", "set", "get", "observe", "snapshot", "photo", "quit"]
}

/// The reason for a refusal, as a message.
package struct ControlError: Error, Sendable, Hashable {
    package let message: String

    package init(_ message: String) { self.message = message }

    init(_ error: FlourishError) { message = error.message }
}

extension ControlRequest: Decodable {
    private enum Field: String, CodingKey {
        case command, reactionType, origin, name, value, path, time, photoQualityPrioritization
        case effect = "id"
        case id = "request_id"
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        if fields.contains(.id), (try? fields.decode(ControlValue.self, forKey: .id)) == nil {
            self.init(id: nil, command: .failure(ControlError("\"request_id\" must be a number or text")))
            return
        }
        self.init(
            id: try fields.decodeIfPresent(ControlValue.self, forKey: .id),
            command: Result { () throws(ControlError) in try Self.command(fields) })
    }

    private static func command(
        _ fields: KeyedDecodingContainer<Field>
    ) throws(ControlError) -> ControlCommand {
        guard let name = try text(.command, in: fields) else {
            throw ControlError("\"command\" is missing; use one of \(ControlCommand.names.joined(separator: ", "))")
        }
        switch name {
        case "perform":
            guard let type = try text(.reactionType, in: fields) else { throw missing(.reactionType) }
            return .perform(ReactionType(rawValue: type), origin: try origin(in: fields))
        case "cancel": return try cancel(fields)
        case "set":
            guard let name = try text(.name, in: fields) else { throw missing(.name) }
            guard fields.contains(.value) else { throw missing(.value) }
            guard let value = try? fields.decode(ControlValue.self, forKey: .value) else {
                throw ControlError("\"value\" must be true, false, a number or text")
            }
            return .set(name, value)
        case "get": return .get(try text(.name, in: fields))
        case "observe": return .observe
        case "snapshot": return .snapshot(path: try text(.path, in: fields))
        case "photo": return try photo(fields)
        case "quit": return .quit
        default:
            throw ControlError(
                "unknown command \"\(name.prefix(40))\"; use one of \(ControlCommand.names.joined(separator: ", "))"
            )
        }
    }

    /// Parses the effects to end: all, the effects of a type, or the effect with a number.
    private static func cancel(_ fields: KeyedDecodingContainer<Field>) throws(ControlError) -> ControlCommand {
        let type = try text(.reactionType, in: fields).map(ReactionType.init)
        guard fields.contains(.effect), (try? fields.decodeNil(forKey: .effect)) != true else { return .cancel(type) }
        guard type == nil else { throw ControlError("\"reactionType\" and \"id\" cannot be combined; use one") }
        guard let id = try? fields.decode(Int.self, forKey: .effect) else {
            throw ControlError("\"id\" must be an effect's number")
        }
        return .cancelEffect(id: id)
    }

    private static func photo(_ fields: KeyedDecodingContainer<Field>) throws(ControlError) -> ControlCommand {
        var quality: PhotoQualityPrioritization?
        if let name = try text(.photoQualityPrioritization, in: fields) {
            quality = PhotoQualityPrioritization(rawValue: name)
            if quality == nil {
                throw ControlError("\"photoQualityPrioritization\" must be speed, balanced or quality")
            }
        }
        do { return .photo(time: try fields.decodeIfPresent(Double.self, forKey: .time), quality) } catch {
            throw ControlError("\"time\" must be a number of seconds")
        }
    }

    private static func missing(_ field: Field) -> ControlError {
        ControlError("\"\(field.rawValue)\" is missing")
    }

    /// Returns a field that must be text if it is present.
    private static func text(
        _ field: Field, in fields: KeyedDecodingContainer<Field>
    ) throws(ControlError) -> String? {
        do { return try fields.decodeIfPresent(String.self, forKey: field) } catch {
            throw ControlError("\"\(field.rawValue)\" must be text")
        }
    }

    private static func origin(in fields: KeyedDecodingContainer<Field>) throws(ControlError) -> PicturePoint? {
        let wrong = ControlError(
            "\"origin\" must be an object such as {\"x\": 0.5, \"y\": 0.25}, each 0…1 of the picture")
        let origin: PicturePoint?
        do { origin = try fields.decodeIfPresent(PicturePoint.self, forKey: .origin) } catch { throw wrong }
        guard let origin else { return nil }
        guard (0...1).contains(origin.x), (0...1).contains(origin.y) else { throw wrong }
        return origin
    }
}
