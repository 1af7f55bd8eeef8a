package import Flourish
import FoundationEssentials
import Platform

/// A client's request: a line of JSON, as in mpv's JSON IPC (https://mpv.io/manual/stable/#json-ipc).
///
/// ```
/// {"command": "perform", "reactionType": "balloons", "request_id": 7}
/// ```
package struct ControlRequest: Sendable, Hashable {
    /// The number or text that the reply repeats, so that the client can match it; `nil` if the request has none.
    package var id: JSONValue?
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
            self.init(id: nil, command: .failure(ControlError(.notARequest, "the line is not a JSON object")))
        }
    }

    init(id: JSONValue?, command: Result<ControlCommand, ControlError>) {
        self.id = id
        self.command = command
    }

    /// Returns the reply to the request as a line, such as `{"code": 0, "error": "success", "request_id": 7}`, with
    /// data if there is any.
    package func answer(_ result: Result<JSONValue?, ControlError>) -> String {
        JSONValue.object(reply(result)).json
    }

    /// Returns the fields of the reply.
    func reply(_ result: Result<JSONValue?, ControlError>) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        fields["request_id"] = id
        switch result {
        case .success(let data):
            (fields["code"], fields["error"]) = (.integer(0), .text("success"))
            fields["data"] = data
        case .failure(let error):
            (fields["code"], fields["error"]) = (.integer(error.code.rawValue), .text(error.message))
        }
        return fields
    }

    /// Returns the reply to input that is no request, as a line.
    static func refusal(_ code: ControlError.Code, _ message: String) -> String {
        let error = ControlError(code, message)
        return ControlRequest(id: nil, command: .failure(error)).answer(.failure(error))
    }
}

extension ControlRequest: Decodable {
    package init(from decoder: any Decoder) throws { self.init(try RequestFields(decoder), isNested: false) }

    fileprivate init(_ fields: RequestFields, isNested: Bool) {
        switch Result(catching: { () throws(ControlError) in try fields.id() }) {
        case .success(let id):
            self.init(
                id: id, command: Result { () throws(ControlError) in try Self.command(fields, isNested: isNested) })
        case .failure(let error): self.init(id: nil, command: .failure(error))
        }
    }

    private static func command(_ fields: RequestFields, isNested: Bool) throws(ControlError) -> ControlCommand {
        let name = try fields.required("command") { name throws(ControlError) in try fields.text(name) }
        switch name {
        case "perform":
            try fields.allow("reactionType", "origin", "time")
            let type = try fields.required("reactionType") { name throws(ControlError) in try fields.text(name) }
            return .perform(ReactionType(rawValue: type), origin: try fields.origin(), time: try fields.time())
        case "cancel":
            try fields.allow("reactionType", "id", "time")
            return .cancel(try target(fields), time: try fields.time())
        case "set":
            try fields.allow("name", "value", "values")
            return .set(try values(fields))
        case "get":
            try fields.allow("name")
            return .get(try fields.text("name"))
        case "observe":
            try fields.allow("name", "events")
            return try observation(fields)
        case "unobserve":
            try fields.allow("name")
            return .unobserve(try fields.text("name"))
        case "snapshot":
            try fields.allow("path")
            return .snapshot(path: try fields.text("path"))
        case "photo":
            try fields.allow("time", "photoQualityPrioritization")
            return try photo(fields)
        case "version":
            try fields.allow()
            return .version
        case "quit":
            try fields.allow()
            return .quit
        case "batch" where !isNested:
            try fields.allow("requests", "stopsAtRefusal")
            return try batch(fields)
        case "batch": throw ControlError(.invalidValue, "a batch cannot contain a batch")
        default:
            let error = ControlError.unknown("command", name, among: ControlCommand.names)
            throw ControlError(.unknownCommand, error.message)
        }
    }

    /// Returns the effects that `cancel` ends: all, those of a type, or the one with a number.
    private static func target(_ fields: RequestFields) throws(ControlError) -> EffectCancellation.Target {
        let type = try fields.text("reactionType").map { ReactionType(rawValue: $0) }
        guard let id = try fields.value("id", Int.self, "an effect's number") else {
            return type.map { .type($0) } ?? .all
        }
        guard type == nil else {
            throw ControlError(.invalidValue, "\"reactionType\" and \"id\" cannot be combined; use one")
        }
        return .id(id)
    }

    /// Parses one property with its value, or several.
    private static func values(_ fields: RequestFields) throws(ControlError) -> [String: JSONValue] {
        if let values = try fields.value("values", [String: FlatValue].self, "an object of properties and values") {
            guard !fields.has("name"), !fields.has("value") else {
                throw ControlError(.invalidValue, "\"values\" cannot be combined with \"name\" and \"value\"")
            }
            return values.mapValues(\.value)
        }
        let name = try fields.required("name") { name throws(ControlError) in try fields.text(name) }
        guard fields.has("value") else { throw RequestFields.missing("value") }
        let value = try fields.value(
            "value", FlatValue.self, "true, false, null, a number, text, or a list or an object of these")
        return [name: value?.value ?? .null]
    }

    private static func observation(_ fields: RequestFields) throws(ControlError) -> ControlCommand {
        let names = try fields.value("events", [String].self, "a list of event names")
        if let name = try fields.text("name") {
            guard names == nil else {
                throw ControlError(.invalidValue, "\"name\" and \"events\" cannot be combined; use two requests")
            }
            return .observe(name)
        }
        for name in names ?? [] where !ControlCommand.eventNames.contains(name) {
            throw ControlError.unknown("event", name, among: ControlCommand.eventNames)
        }
        return .observeEvents(names.map { Set($0) })
    }

    private static func photo(_ fields: RequestFields) throws(ControlError) -> ControlCommand {
        var quality: PhotoQualityPrioritization?
        if let name = try fields.text("photoQualityPrioritization") {
            quality = PhotoQualityPrioritization(rawValue: name)
            if quality == nil {
                throw ControlError(.invalidValue, "\"photoQualityPrioritization\" must be speed, balanced or quality")
            }
        }
        return .photo(time: try fields.time(), quality)
    }

    private static func batch(_ fields: RequestFields) throws(ControlError) -> ControlCommand {
        let stops = try fields.value("stopsAtRefusal", Bool.self, "true or false") ?? false
        guard let requests = try fields.value("requests", [NestedRequest].self, "a list of requests") else {
            throw RequestFields.missing("requests")
        }
        guard requests.count <= ControlCommand.maximumInBatch else {
            throw ControlError(.invalidValue, "a batch has at most \(ControlCommand.maximumInBatch) requests")
        }
        return .batch(requests.map(\.request), stopsAtRefusal: stops)
    }
}

/// A request in a batch. The request cannot be a batch itself, so that nested input cannot make the decoder recurse.
private struct NestedRequest: Decodable {
    let request: ControlRequest

    init(from decoder: any Decoder) throws { request = ControlRequest(try RequestFields(decoder), isNested: true) }
}

/// The fields of a request.
private struct RequestFields {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Name>

    init(_ decoder: any Decoder) throws { container = try decoder.container(keyedBy: Name.self) }

    /// Refuses all other fields than the named ones, so that a misspelt field is not ignored.
    func allow(_ names: String...) throws(ControlError) {
        let known = names + ["command", "request_id"]
        for name in container.allKeys.map(\.stringValue).sorted() where !known.contains(name) {
            let nearest = name.nearest(among: names).map { "; did you mean \"\($0)\"?" } ?? ""
            throw ControlError(.unknownField, "this command has no field \"\(name.prefix(40))\"\(nearest)")
        }
    }

    func has(_ name: String) -> Bool { container.contains(Name(stringValue: name)) }

    /// The identifier that the reply repeats.
    func id() throws(ControlError) -> JSONValue? {
        try value("request_id", SingleValue.self, "a number or text")?.value
    }

    /// Returns a field, `nil` if it is absent or null.
    func value<Value: Decodable>(
        _ name: String, _ type: Value.Type, _ wanted: String
    ) throws(ControlError) -> Value? {
        do { return try container.decodeIfPresent(Value.self, forKey: Name(stringValue: name)) } catch {
            throw ControlError(.invalidValue, "\"\(name)\" must be \(wanted)")
        }
    }

    func text(_ name: String) throws(ControlError) -> String? { try value(name, String.self, "text") }

    func required<Value>(
        _ name: String, _ read: (String) throws(ControlError) -> Value?
    ) throws(ControlError) -> Value {
        guard let value = try read(name) else { throw Self.missing(name) }
        return value
    }

    /// The time in seconds on the video's clock; `nil` if it is absent.
    func time() throws(ControlError) -> Double? {
        guard let time = try value("time", Double.self, "a number of seconds") else { return nil }
        guard time.isFinite else { throw ControlError(.invalidValue, "\"time\" must be a number of seconds") }
        return time
    }

    func origin() throws(ControlError) -> PicturePoint? {
        let wanted = "an object such as {\"x\": 0.5, \"y\": 0.25}, each 0…1 of the picture"
        guard let origin = try value("origin", PicturePoint.self, wanted) else { return nil }
        guard (0...1).contains(origin.x), (0...1).contains(origin.y) else {
            throw ControlError(.invalidValue, "\"origin\" must be \(wanted)")
        }
        return origin
    }

    static func missing(_ name: String) -> ControlError { ControlError(.missingField, "\"\(name)\" is missing") }
}

/// A single value: a number, text, true, false or null.
private struct SingleValue: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws { value = try JSONValue(single: try decoder.singleValueContainer()) }
}

/// A single value, or a list or an object of single values.
private struct FlatValue: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let single = try? JSONValue(single: container) {
            value = single
        } else if let list = try? container.decode([SingleValue].self) {
            value = .array(list.map(\.value))
        } else {
            value = .object(try container.decode([String: SingleValue].self).mapValues(\.value))
        }
    }
}
