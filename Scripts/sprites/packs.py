"""Draws the sprites of the packs of effects whose forms repeat or mirror a part: snow, blossom and leaves.

usage: packs.py FOLDER      (that of the packs: Assets/Packs)

The other sprites of the packs are single outlines, written by hand as SVG.
"""

import math
import sys
from pathlib import Path

# Handles of smooth corners: this part of the line between the two neighbours.
TENSION = 0.21


def number(value):
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def at(point):
    return f"{number(point[0])} {number(point[1])}"


def svg(box, comment, *parts):
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">', f"  <!-- {comment} -->", *parts, "</svg>", ""]
    return "\n".join(lines)


def gradient(name, ends, stops, kind="linear"):
    inner = "\n".join(
        f'      <stop offset="{offset}" stop-color="{colour}"' + (f' stop-opacity="{opacity}"' if opacity else "") + "/>"
        for offset, colour, opacity in ((*stop, None)[:3] for stop in stops)
    )
    return f'    <{kind}Gradient id="{name}" {ends}>\n{inner}\n    </{kind}Gradient>'


def definitions(*parts):
    return "\n".join(["  <defs>", *parts, "  </defs>"])


# Snow


def turned(radius, degrees):
    """A point at an angle, clockwise from the top, around the middle of 200 × 200."""
    angle = math.radians(degrees)
    return 100 + radius * math.sin(angle), 100 - radius * math.cos(angle)


def flake(branches, width, heart, lean):
    """Six arms with pairs of branches: their distances from the middle, and their lengths."""
    lines = []
    for arm in range(0, 360, 60):
        lines.append(f"M100 100 L{at(turned(86, arm))}")
        for distance, length in branches:
            x, y = turned(distance, arm)
            for side in (60, -60):
                dx, dy = (value - 100 for value in turned(length, arm + side))
                lines.append(f"M{at((x, y))} L{at((x + dx, y + dy))}")
    arms = " ".join(lines)
    hexagon = " L".join(at(turned(heart, corner + lean)) for corner in range(0, 360, 60))
    stroke = 'fill="none" stroke="{}" stroke-width="{}" stroke-linecap="round"'
    return svg(
        "0 0 200 200",
        "A crystal of snow: white, with a blue shadow that keeps it visible in front of a bright wall.",
        definitions(
            '    <filter id="soft" x="-0.3" y="-0.3" width="1.6" height="1.6"><feGaussianBlur stdDeviation="5"/></filter>'
        ),
        f'  <path d="{arms}" {stroke.format("#3f5f8a", 12)} stroke-opacity="0.42" filter="url(#soft)"/>',
        f'  <path d="{arms}" {stroke.format("#ffffff", width)}/>',
        f'  <path d="M{hexagon} Z" fill="#ffffff" fill-opacity="0.35" stroke="#ffffff" stroke-width="4.5" '
        'stroke-linejoin="round"/>',
    )


# Blossom


def blossom():
    petal = (
        "M0 -6 C-20 -22 -44 -50 -40 -74 C-37 -88 -22 -96 -10 -95 C-6 -91 -3 -86 0 -80 "
        "C3 -86 6 -91 10 -95 C22 -96 37 -88 40 -74 C44 -50 20 -22 0 -6 Z"
    )
    petals = [
        f'  <path d="{petal}" transform="rotate({angle})" fill="url(#petal)" stroke="#e88aa4" stroke-opacity="0.55" '
        'stroke-width="1.2"/>'
        for angle in range(0, 360, 72)
    ]
    stamens = []
    for index in range(10):
        x, y = turned(24 if index % 2 else 32, 8 + 36 * index)
        stamens.append((x - 100, y - 100))
    threads = " ".join(f"M0 0 L{at(stamen)}" for stamen in stamens)
    tips = "".join(f'<circle cx="{number(x)}" cy="{number(y)}" r="3.6"/>' for x, y in stamens)
    units = 'gradientUnits="userSpaceOnUse"'
    return svg(
        "-102 -104 204 204",
        "A cherry blossom in its own colours.",
        definitions(
            gradient(
                "petal",
                f'{units} x1="0" y1="-96" x2="0" y2="0"',
                [("0", "#fff4f7"), ("0.5", "#ffd3df"), ("1", "#f58fae")],
            ),
            gradient(
                "eye", f'{units} cx="0" cy="0" r="26"', [("0", "#c9406c", "0.9"), ("1", "#e05a86", "0")], kind="radial"
            ),
        ),
        *petals,
        '  <circle r="26" fill="url(#eye)"/>',
        f'  <path d="{threads}" stroke="#d9547d" stroke-width="1.8" stroke-linecap="round" fill="none"/>',
        f'  <g fill="#ffd873" stroke="#d18a2c" stroke-width="0.8">{tips}</g>',
    )


# Leaves


def outline(half, stretch, shift):
    """A closed path: the right half from the first corner to the last, and back on the left, which is a little wider.

    Each corner is (x, y, is sharp). The first and the last are on the middle line.
    """
    left = [(100 - (x - 100) * stretch, y + shift, sharp) for x, y, sharp in reversed(half[1:-1])]
    corners = half + left
    count = len(corners)

    def handle(index, sign):
        (x, y, sharp), before, after = corners[index], corners[index - 1], corners[(index + 1) % count]
        if sharp:
            return x, y
        return x + sign * TENSION * (after[0] - before[0]), y + sign * TENSION * (after[1] - before[1])

    parts = [f"M{at(corners[0])}"]
    for index in range(count):
        following = (index + 1) % count
        parts.append(f"C{at(handle(index, 1))} {at(handle(following, -1))} {at(corners[following])}")
    return " ".join(parts) + " Z"


def vein(start, end, width, bend=0.0):
    """A line that becomes thinner towards its end, and is bent by a part of its length."""
    (x, y), (u, v) = start, end
    length = math.hypot(u - x, v - y)
    nx, ny = -(v - y) / length, (u - x) / length
    middle = ((x + u) / 2 + nx * bend * length, (y + v) / 2 + ny * bend * length)

    def side(point, distance):
        return at((point[0] + nx * distance, point[1] + ny * distance))

    return (
        f"M{side(start, width)} Q{at(middle)} {side(end, width / 4)} "
        f"L{side(end, -width / 4)} Q{at(middle)} {side(start, -width)} Z"
    )


def veins(starts_and_ends, width, bend=0.0):
    """Veins on both sides. A start without x is on the middle line."""
    both = []
    for start, (x, y) in starts_and_ends:
        u, v = start if isinstance(start, tuple) else (100, start)
        both += [vein((u, v), (x, y), width, -bend), vein((200 - u, v), (200 - x, y), width, bend)]
    return " ".join(both)


def leaf(box, name, stops, ends, stem, blade, *lines, light=None):
    """A stem, a blade, a light in its middle, and paths of veins, each with an opacity."""
    start, tip = (100, stem[0]), stem[1]
    shapes = [
        f'  <path d="{vein(start, tip, 3, math.copysign(0.08, tip[0] - 100))}" fill="#545454"/>',
        f'  <path d="{blade}" fill="url(#blade)" stroke="#4c4c4c" stroke-width="1.5" stroke-linejoin="round"/>',
    ]
    gradients = [gradient("blade", ends, stops)]
    if light:
        gradients.append(gradient("light", light, [("0", "#c6c6c6", "0.55"), ("1", "#c6c6c6", "0")], kind="radial"))
        shapes.append(f'  <path d="{blade}" fill="url(#light)"/>')
    shapes += [f'  <path d="{path}" fill="#cecece" fill-opacity="{opacity}"/>' for path, opacity in lines]
    comment = f"{name} leaf in greys: a half takes the leaf's colour, darker its shade, lighter its light."
    return svg(box, comment, definitions(*gradients), *shapes)


S, R = True, False

MAPLE = [
    (100, 10, S), (108.6, 36, R), (119.8, 47.2, S), (118.1, 65.8, R), (126.7, 63.9, S), (119.8, 93.7, S),
    (134.4, 84.4, R), (143, 65.8, S), (149, 79.8, R), (161.9, 72.3, S), (164.5, 84.4, R), (196.3, 73.2, S),
    (181.7, 94.6, R), (190.3, 102.1, S), (172.2, 117.9, R), (178.3, 126.2, S), (151.6, 137.4, S), (166.2, 145.8, R),
    (179.1, 152.3, S), (161.9, 158.8, R), (164.5, 169, S), (144.7, 167.2, R), (125.8, 165.3, R), (105.2, 157.9, R),
    (100, 157, R),
]  # fmt: skip
MAPLE_LOBES = [(100, 19.3), (186, 80.7), (14, 80.7), (170.5, 152.3), (29.5, 152.3)]
MAPLE_SIDES = [
    (118, (120.6, 93.6)), (93.7, (115.2, 74.6)), (69.5, (110, 56)), ((134.4, 127.8), (140, 103.3)),
    ((134.4, 127.8), (155.6, 130)), ((151.6, 112), (156.3, 91.4)), ((151.6, 112), (169.6, 114)),
    ((167, 98.2), (170.1, 84.8)), ((167, 98.2), (178.5, 99.2)),
]  # fmt: skip

OAK = [
    (100, 173.4, R), (103.4, 169.7, R), (120.2, 165.9, R), (128.6, 154.6, R), (120.2, 145.2, R), (113.4, 137.7, R),
    (131.9, 135.8, R), (146.2, 123.6, R), (137.8, 111.4, R), (121.8, 107.6, R), (142, 103.9, R), (158, 89.8, R),
    (148.7, 75.7, R), (127.7, 72.9, R), (143.7, 69.1, R), (155.4, 55, R), (143.7, 43.7, R), (125.2, 43.7, R),
    (133.6, 35.3, R), (131.9, 23, R), (116.8, 12.7, R), (100, 8, R),
]  # fmt: skip
OAK_SIDES = [
    (162.2, (121.8, 155.6)), (143.4, (139.4, 123.6)), (115.2, (150.4, 89.8)), (83.2, (148.8, 56)), (53.1, (125.2, 26.8)),
]  # fmt: skip

BIRCH = [
    (100, 172, S), (121.8, 161.1, S), (128.1, 158, R), (133.7, 150.1, S), (137, 147.1, R), (142, 139.2, S),
    (143, 136.1, R), (147.5, 128.3, S), (146.6, 125.2, R), (150.7, 117.3, S), (148.2, 114.3, R), (151.8, 106.4, S),
    (147.9, 103.3, R), (151, 95.5, S), (146, 92.4, R), (148.6, 84.5, S), (142.8, 81.5, R), (144.8, 73.6, S),
    (138.4, 70.5, R), (139.7, 62.7, S), (133.1, 59.6, R), (133.6, 51.7, S), (127, 48.7, R), (126.7, 40.8, S),
    (120.2, 37.7, R), (118.9, 29.9, S), (112.8, 26.8, R), (110.4, 18.9, S), (104.4, 15.9, R), (100, 8, S),
]  # fmt: skip
BIRCH_SIDES = [
    (155.6, (138.5, 133.6)), (139.2, (146.1, 117.2)), (122.8, (149.3, 100.8)), (106.4, (148.5, 84.4)), (90, (144.4, 68)),
    (73.6, (137.2, 51.6)), (57.2, (127.5, 35.2)), (40.8, (115.6, 18.8)),
]  # fmt: skip


def birch():
    return leaf(
        "30 0 140 208",
        "A birch",
        [("0", "#a6a6a6"), ("0.49", "#868686"), ("0.51", "#747474"), ("1", "#626262")],
        'x1="0" y1="0.2" x2="1" y2="0.7"',
        (170, (107, 204)),
        outline(BIRCH, 1.02, 0),
        (veins(BIRCH_SIDES, 1, 0.07), 0.5),
        (vein((100, 176), (100, 14), 1.9), 0.8),
    )


def maple():
    lobes = " ".join(vein((100, 158.8), lobe, 1.6) for lobe in MAPLE_LOBES)
    return leaf(
        "0 0 200 208",
        "A maple",
        [("0", "#a2a2a2"), ("0.5", "#818181"), ("1", "#5e5e5e")],
        'x1="0.1" y1="0" x2="0.85" y2="1"',
        (156, (109.5, 203.4)),
        outline(MAPLE, 1.03, 2.2),
        (veins(MAPLE_SIDES, 0.8, 0.03), 0.4),
        (lobes, 0.75),
        light='cx="0.5" cy="0.78" r="0.62"',
    )


def oak():
    return leaf(
        "30 0 140 208",
        "An oak",
        [("0", "#a0a0a0"), ("0.55", "#7e7e7e"), ("1", "#5c5c5c")],
        'x1="0" y1="0" x2="0.9" y2="1"',
        (167.8, (95, 203.5)),
        outline(OAK, 1.02, -2.3),
        (veins(OAK_SIDES, 1.1, 0.05) + " " + vein((100, 177.2), (100, 15.5), 2), 0.65),
    )


def main():
    folder = Path(sys.argv[1]) / "seasonal" / "Sprites"
    drawings = {
        "flake": flake([(34, 20), (52, 24), (68, 15)], 6, heart=22, lean=0),
        "star": flake([(44, 30), (66, 16)], 6.5, heart=26, lean=30),
        "blossom": blossom(),
        "maple": maple(),
        "oak": oak(),
        "birch": birch(),
    }
    for name, text in drawings.items():
        (folder / f"{name}.svg").write_text(text, encoding="utf-8")


main()
