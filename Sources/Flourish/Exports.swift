// A program that imports only Flourish gets the whole public interface: the types of sessions (Reactions), their
// configuration, reports and results (Pipeline), and tools that need no session (Studio). The targets are separate, so
// that the compiler enforces the layers.
@_exported public import Pipeline
@_exported public import Reactions
@_exported public import Studio
