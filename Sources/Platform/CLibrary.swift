// The C library of the platform. Other files import Platform, so that only this file names the C library.
#if canImport(Darwin)
@_exported public import Darwin
#else
@_exported public import Glibc
#endif
