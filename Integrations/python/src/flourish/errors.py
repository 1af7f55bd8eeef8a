"""The errors of the package. The text of each is one line: the problem and the remedy."""


class Error(Exception):
    """A failed call; the base of all errors of the package."""


class InvalidArgument(Error, ValueError):
    """An argument, a frame, a setting or a name is invalid."""


class FileUnavailable(Error):
    """A file is missing, or cannot be read or written."""


class FileUnusable(Error):
    """A file is damaged, or has the wrong format."""


class Unavailable(Error):
    """A model, a codec or a library is missing on this machine, or gestures are not available in this processor."""


class LateFrame(Error):
    """The frame's time is not after that of the previous frame. The frame was not drawn on; the next one may be."""


class Finished(Error):
    """The processor was finished."""
