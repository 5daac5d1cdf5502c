"""Pages and data with the names that Swift DocC gives them; not all file systems hold such names."""

import json

from mkdocs.structure.files import File

SYMBOLS = {
    "Canvas": "struct Canvas",
    "canvas": "static let canvas: Canvas",
    "drawText(_:at:)": "func drawText(_ text: String, at point: Point)",
    "drawtext(_:at:)": "func drawtext(_ text: String, at point: Point)",
    "init(_:)-4k2b9": "init(_ size: Size)",
    "==(_:_:)": "static func == (one: Canvas, other: Canvas) -> Bool",
    "*(_:_:)": "static func * (canvas: Canvas, factor: Double) -> Canvas",
    "Größe+Farbe": "var größe: Size",
}


def on_files(files, config):
    links = "\n".join(f"- [`{name}`](<{name}.md>)" for name in SYMBOLS)
    overview = f"# Symbols\n\n{links}\n"
    files.append(File.generated(config, "documentation/canvas/index.md", content=overview))
    for name, declaration in SYMBOLS.items():
        text = f"# `{name}`\n\n<code id='declaration'></code>\n\n[All symbols](index.md)\n"
        files.append(File.generated(config, f"documentation/canvas/{name}.md", content=text))
        data = json.dumps({"declaration": declaration})
        files.append(File.generated(config, f"data/documentation/canvas/{name}.json", content=data))
    return files
