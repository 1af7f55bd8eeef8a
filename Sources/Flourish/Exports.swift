// A program that imports Flourish alone has the whole of its library. What sessions speak of (Reactions), what they take and
// tell (Pipeline), and what looks at videos and effects without them (Studio) lie in targets of their own, so that the
// compiler keeps their order; they are as much a part of the public interface as sessions are.
@_exported public import Pipeline
@_exported public import Reactions
@_exported public import Studio
