// The C library of the platform. Whoever needs it imports Platform, so that this file alone says which one it is.
#if canImport(Darwin)
@_exported public import Darwin
#else
@_exported public import Glibc
#endif
