// A program that imports Flourish alone has the whole of its library: the domain's words lie in a target of their own, since
// every layer speaks them, and are as much a part of its public interface as sessions are.
@_exported public import Reactions
