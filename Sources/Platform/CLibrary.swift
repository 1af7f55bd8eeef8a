// The C library of the platform. Other files import Platform instead, so that only this file names it.
#if canImport(Darwin)
@_exported public import Darwin
#else
@_exported public import Glibc
#endif
