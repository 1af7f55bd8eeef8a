// A program that imports Flourish alone gets its whole public interface: the types of sessions (Reactions),
// configuration and results (Pipeline), and tools that need no session (Studio). They are targets of their own, so that
// the compiler enforces their layering.
@_exported public import Pipeline
@_exported public import Reactions
@_exported public import Studio
