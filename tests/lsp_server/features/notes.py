"""Notes that the tests of hover, navigation and symbols share."""

NOTES = """
--- plants/orchid.md
---
tags: [epiphyte]
secret: front matter
---
# Orchid

Orchids like <b>bark</b>, see [[watering|rain water]] and ![[photo.png]] ![x](http://evil.example/x.png).

## Feeding

Weak fertilizer. ^weak
--- watering.md
# Watering

Rain water on bark. #care/water
--- feeding.md
# Feeding plants
fertilizer and bark #care
--- here.md
# Here
[[orchid]] and [other](plants/orchid.md#feeding) and [[orchid#^weak]] and [[orchidd]]
#care here, `[[orchid]]` there
```
[[orchid]]
```
😀 [[watering]]
plain words
--- other.md
[[wattering]] [[orchi]]
"""


TWICE = """
--- twice.md
# Twice
## Notes
fertilizer once
## Notes
bark and rain water
[[twice#Notes]] [[#^here]] and [[photo.png]] ![x](a/scan.PDF) [[v1.2]] [[some/]]

text ^here
--- sees.md
[[twice#^here]] [[twice]]
"""
