project = "Clock manual"
html_theme = "alabaster"
html_favicon = "clock.svg"
html_copy_source = False
