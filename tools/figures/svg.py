"""The few SVG elements that the drawings of the labs are made of, each a string, and axes to plot on.

In:  coordinates in units of the drawing (px at its natural size), x to the right, y down; words as plain text
Out: the same bytes for the same arguments: a drawing that changed is a drawing that somebody changed
"""
from xml.sax.saxutils import escape, quoteattr

BLACK, WHITE, GREY, LIGHT_GREY = "#000000", "#ffffff", "#555555", "#dddddd"
BLUE, LIGHT_BLUE, PALE_BLUE, RED = "#1f5fa8", "#8db4dc", "#dbe7f5", "#b3261e"
ORANGE, LIGHT_ORANGE = "#e8793b", "#f6c38f"


def write(path, width, height, parts):
    """The drawing on white: parts one upon the other, the first at the bottom."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">\n')
        file.write("\n".join([rect(0, 0, width, height, WHITE), *parts]) + "\n</svg>\n")


def element(name, attributes, content=""):
    """Numbers get one decimal; None leaves an attribute out; stroke_width becomes stroke-width."""
    written = "".join(f" {key.replace('_', '-')}={quoteattr(number(value))}"
                      for key, value in attributes.items() if value is not None)
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def number(value):
    return value if isinstance(value, str) else f"{round(value, 1):g}"


def text(x, y, words, size=13, anchor="middle", colour=BLACK, bold=False):
    """anchor: which part of the words is at x: start, middle or end. y: their baseline."""
    return element("text", {"x": x, "y": y, "font_size": size, "text_anchor": anchor, "fill": colour,
                            "font_weight": "bold" if bold else None}, escape(str(words)))


def rect(x, y, width, height, fill, stroke=None, radius=None, dashed=False):
    return element("rect", {"x": x, "y": y, "width": width, "height": height, "rx": radius, "fill": fill, "stroke": stroke,
                            **dashes(dashed)})


def line(x1, y1, x2, y2, colour=GREY, width=1, dashed=False, marker=None):
    """marker: the name of an arrow_head at its end."""
    return element("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": colour, "stroke_width": width,
                            **dashes(dashed), "marker_end": f"url(#{marker})" if marker else None})


def polyline(points, colour, width=1, dashed=False):
    return element("polyline", {"points": " ".join(f"{number(x)},{number(y)}" for x, y in points), "fill": "none",
                                "stroke": colour, "stroke_width": width, **dashes(dashed)})


def circle(x, y, radius, colour):
    return element("circle", {"cx": x, "cy": y, "r": radius, "fill": colour})


def dashes(dashed):
    return {"stroke_dasharray": "5 4" if dashed else None}


def arrow_head(name, colour):
    """Draws nothing by itself: lines take it by its name."""
    return element("marker", {"id": name, "viewBox": "0 0 10 10", "refX": 9, "refY": 5, "markerWidth": 6, "markerHeight": 6,
                              "orient": "auto"}, element("path", {"d": "M0 0 L10 5 L0 10 z", "fill": colour}))


class Axes:
    """A rectangle to plot in: x from 0 to last, after scale if that is given, y from 0 at its bottom to highest."""

    def __init__(self, left, top, width, height, last, highest, scale=lambda value: value):
        self.left, self.top, self.width, self.height = left, top, width, height
        self.last, self.highest, self.scale = last, highest, scale

    def x(self, value):
        return self.left + self.width * self.scale(value) / self.scale(self.last)

    def y(self, value):
        return self.top + self.height * (1 - value / self.highest)

    def ticks(self, along_x, along_y, title):
        """Numbers below and at the left, a thin line across at each of the left ones, and the title of x."""
        right, bottom = self.left + self.width, self.top + self.height
        for value in along_y:
            yield line(self.left, self.y(value), right, self.y(value), LIGHT_GREY)
            yield text(self.left - 7, self.y(value) + 4, value, 12, "end")
        for value in along_x:
            yield line(self.x(value), bottom, self.x(value), bottom + 4)
            yield text(self.x(value), bottom + 18, value, 12)
        yield text((self.left + right) / 2, bottom + 37, title)
