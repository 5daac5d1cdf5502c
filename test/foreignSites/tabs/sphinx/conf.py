project = "Fruit"
extensions = ["sphinx_tabs.tabs", "sphinx_design"]
exclude_patterns = ["venv"]
