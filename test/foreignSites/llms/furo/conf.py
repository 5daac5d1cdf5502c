project = "Fastify"
html_theme = "furo"
html_baseurl = "https://docs.example.com/"
extensions = [
    "myst_parser",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_llms_txt",
]
myst_heading_anchors = 4
suppress_warnings = ["myst", "misc", "toc"]
exclude_patterns = ["venv"]
