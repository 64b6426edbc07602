"""Pictures with a palette: a third of the size, and nothing that an eye would miss.

Owns: counting colours, choosing 256 of them, and the bytes of an indexed PNG. Refuses: to change a picture's
size, and to dither: what is flat stays flat.
"""

from __future__ import annotations

import base64
import struct
import zlib

from playwright.sync_api import Page

COLOURS = 256
SIGNATURE = b"\x89PNG\r\n\x1a\n"

# Runs in a blank page of the browser that took the picture: it can decode a PNG, Python's library cannot.
# The commonest colours first, and of those that an eye can hardly tell apart only one: so a small red mark
# keeps its red. The distance that counts as telling grows until the colours are few enough.
INDEXED = """
async ([png, most]) => {
  const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) || 0) + 1);
  const colours = [...counts].sort((a, b) => b[1] - a[1]).map((entry) => entry[0]);
  const part = (colour, shift) => (colour >> shift) & 255;
  const distance = (a, b) => [0, 8, 16].reduce((sum, at) => sum + (part(a, at) - part(b, at)) ** 2, 0);
  let palette = [], places = new Map();
  for (let apart = 0; ; apart = apart * 1.5 + 6) {
    palette = [];
    places = new Map();
    for (const colour of colours) {
      let nearest = -1, least = apart + 1;
      palette.forEach((other, place) => {
        const away = distance(colour, other);
        if (away < least) [nearest, least] = [place, away];
      });
      if (nearest < 0) nearest = palette.push(colour) - 1;
      places.set(colour, nearest);
      if (palette.length > most) break;
    }
    if (palette.length <= most) break;
  }
  let text = '';
  for (let at = 0; at < pixels.length; at += 8192)
    text += String.fromCharCode(...pixels.subarray(at, at + 8192).map((pixel) => places.get(pixel)));
  const shades = palette.map((colour) => [part(colour, 0), part(colour, 8), part(colour, 16)]);
  return [image.width, image.height, shades, btoa(text)];
}
"""


def shrunk(blank: Page, png: bytes) -> bytes:
    """The same picture as an indexed PNG. `blank` is any page without a content policy."""
    width, height, colours, text = blank.evaluate(INDEXED, [base64.b64encode(png).decode(), COLOURS])
    indices = base64.b64decode(text)
    rows = b"".join(b"\0" + indices[start : start + width] for start in range(0, width * height, width))
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    palette = bytes(part for colour in colours for part in colour)
    data = zlib.compress(rows, 9)
    return SIGNATURE + b"".join(
        chunk(name, body)
        for name, body in ((b"IHDR", head), (b"PLTE", palette), (b"IDAT", data), (b"IEND", b""))
    )


def chunk(name: bytes, body: bytes) -> bytes:
    """One chunk of a PNG."""
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
