"""Prints a model with another input size, or with another output. Scripts/setup verifies the result.

usage: fit_model.py MODEL WIDTHxHEIGHT
       fit_model.py MODEL OUTPUT

WIDTHxHEIGHT gives a fully convolutional model another input size. The sizes of all tensors that are computed from the
input are scaled like the input, as are the target sizes of layers that enlarge pictures. Weights are kept, so equal
surroundings give equal results at every place, except near the edges of the picture.

OUTPUT returns the input of its last layer instead of its result: the features from which all outputs are computed.

A model is a FlatBuffer (its schema: tensorflow/compiler/mlir/lite/schema/schema.fbs). Numbers are overwritten in place;
nothing moves.
"""

import pathlib
import re
import struct
import sys

model = bytearray(pathlib.Path(sys.argv[1]).read_bytes())


def number(place, kind="i"):
    return struct.unpack_from("<" + kind, model, place)[0]


def field(table, index):
    """The place of a table's field; None if it is omitted."""
    fields = table - number(table)
    offset = number(fields + 4 + 2 * index, "H") if number(fields, "H") >= 6 + 2 * index else 0
    return table + offset if offset else None


def target(place):
    """The table or vector to which an offset refers."""
    return place + number(place, "I")


def places(table, index):
    """The places of the elements, of four bytes each, of the vector in a field."""
    vector = target(field(table, index))
    return [vector + 4 + 4 * element for element in range(number(vector, "I"))]


def numbers(table, index):
    return [number(place) for place in places(table, index)]


def tables(table, index):
    return [target(place) for place in places(table, index)]


def resize(width, height):
    source = numbers(graph, 1)[0]
    _, old_height, old_width, _ = numbers(tensors[source], 0)
    computed, changes = {source}, {}

    def scale(height_place, width_place):
        changes[height_place] = number(height_place) * height // old_height
        changes[width_place] = number(width_place) * width // old_width

    for layer in layers:
        sources = numbers(layer, 1)
        if not computed.intersection(sources):
            continue
        computed.update(numbers(layer, 2))
        # A layer that enlarges a picture reads the target size from a constant tensor of two 32-bit integers (type 2).
        constant = tensors[sources[1]] if len(sources) == 2 else None
        if constant and field(constant, 1) and number(field(constant, 1), "b") == 2 and numbers(constant, 0) == [2]:
            size = target(field(buffers[number(field(constant, 2), "I")], 0)) + 4
            scale(size, size + 4)
    for tensor in computed:
        shape = places(tensors[tensor], 0)
        if len(shape) == 4:
            scale(shape[1], shape[2])
        else:
            # A list with entries for each place of a picture, such as candidate boxes.
            changes[shape[1]] = number(shape[1]) * height * width // (old_height * old_width)
    return changes


def tap(name):
    for place in places(graph, 2):
        text = target(field(tensors[number(place)], 3))
        if model[text + 4:text + 4 + number(text, "I")].decode() == name:
            layer = next(layer for layer in layers if number(place) in numbers(layer, 2))
            return {place: numbers(layer, 1)[0]}
    raise SystemExit(f"no output {name}")


root = target(0)
graph, buffers = tables(root, 2)[0], tables(root, 4)
tensors, layers = tables(graph, 0), tables(graph, 3)
size = re.fullmatch(r"(\d+)x(\d+)", sys.argv[2])
for place, value in (resize(*map(int, size.groups())) if size else tap(sys.argv[2])).items():
    struct.pack_into("<i", model, place, value)
sys.stdout.buffer.write(model)
