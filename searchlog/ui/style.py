"""The look of a report: one style sheet, light and dark, for wide and narrow windows and for paper. Pure, text alone.

Every colour of a word stands at 4.5 to 1 or more on what is behind it; `test_ui_report.py` measures it. Nothing is
said by colour alone: outcomes have signs and words, changed words have signs and lines.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["DARK", "LIGHT", "STYLE"]

LIGHT: Mapping[str, str] = {
    "ground": "#faf9f6",
    "sheet": "#ffffff",
    "ink": "#1f2326",
    "quiet": "#5b6168",
    "line": "#e3e0d8",
    "link": "#1f5583",
    "failed": "#a12622",
    "failed-ground": "#fbeceb",
    "verified": "#25663d",
    "verified-ground": "#e9f4ec",
    "not-checked": "#6a5410",
    "not-checked-ground": "#f8f2dd",
    "mark": "#ffe9a8",
    "mark-twice": "#ffd782",
    "label": "#4a4f55",
    "label-ground": "#ffffff",
}
DARK: Mapping[str, str] = {
    "ground": "#15181b",
    "sheet": "#1c2024",
    "ink": "#e6e4df",
    "quiet": "#a2a8ae",
    "line": "#32383d",
    "link": "#8dbfe8",
    "failed": "#f39a92",
    "failed-ground": "#3b2221",
    "verified": "#8fcfa3",
    "verified-ground": "#1d3325",
    "not-checked": "#dcc378",
    "not-checked-ground": "#332c17",
    "mark": "#574515",
    "mark-twice": "#6d5310",
    "label": "#c4c9ce",
    "label-ground": "#23282c",
}


def _variables(colours: Mapping[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


_RULES = """
*{box-sizing:border-box}
html{background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",
"PingFang SC","Hiragino Sans","Microsoft YaHei","Noto Sans CJK SC","Noto Sans Arabic",sans-serif;
-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0 auto;max-width:58rem;padding:2.5rem 1.5rem 4rem;overflow-wrap:anywhere}
h1,h2,h3,h4,p,ul,ol,dl,blockquote,figure{margin:0;padding:0}
h1{font-size:1.75rem;line-height:1.25;font-weight:650;letter-spacing:-.01em;margin:.25rem 0 .5rem}
h2{font-size:1.25rem;line-height:1.3;font-weight:650;margin:3.25rem 0 .35rem}
h3{font-size:1.02rem;line-height:1.4;font-weight:620}
h4{font-size:1.02rem;line-height:1.4;font-weight:620;display:inline}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:.18em}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
bdi,blockquote,.diff{unicode-bidi:isolate}
.brand{color:var(--quiet);font-size:.85rem;letter-spacing:.04em}
.quiet,.facts,.source,.path,.legend,caption .sums,footer{color:var(--quiet);font-size:.9rem}
.facts b{color:var(--ink)}
.count{color:var(--quiet);font-weight:400;font-variant-numeric:tabular-nums}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;margin-top:1.1rem;padding:.65rem 0;
border-block:1px solid var(--line)}

.chip{display:inline-block;white-space:nowrap;font-size:.85rem;line-height:1.5;font-weight:600;padding:0 .5em;
border-radius:1em}
.chip.failed{color:var(--failed);background:var(--failed-ground)}
.chip.verified{color:var(--verified);background:var(--verified-ground)}
.chip.not-checked{color:var(--not-checked);background:var(--not-checked-ground)}
.level,.id{font-weight:650}
.state,.digest,.findings b{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;
font-size:.86em}
.state{font-weight:600}
.digest{color:var(--quiet)}
.axis{color:var(--quiet);font-weight:400;font-size:.9rem}

.axes{list-style:none;margin-top:1rem;background:var(--sheet);border:1px solid var(--line);border-radius:10px}
.axes>li{display:grid;grid-template-columns:minmax(14rem,2fr) 3fr;gap:.2rem 1.75rem;padding:1rem 1.25rem}
.axes>li+li{border-top:1px solid var(--line)}
.axes h3{grid-column:1}
.axes h3 .axis{display:block}
.axes>li>p{grid-column:2}
.axes>li>p:first-of-type{grid-row:1}
.axes>li>h3{grid-row:1/span 3}
.axes>li.unasked>p{color:var(--quiet)}

table{width:100%;border-collapse:collapse;margin-top:1.25rem;font-size:.94rem}
caption{text-align:start;font-weight:620;padding-bottom:.35rem}
caption .sums{display:block;font-weight:400}
caption svg{display:block;width:100%;height:6px;border-radius:3px;margin:.35rem 0 .15rem}
rect.failed{fill:var(--failed)}rect.verified{fill:var(--verified)}rect.not-checked{fill:var(--not-checked);opacity:.55}
th,td{text-align:start;vertical-align:top;padding:.38rem .75rem .38rem 0;border-top:1px solid var(--line);
font-weight:400}
thead th{color:var(--quiet);font-size:.82rem;border-top:0}
.states th:first-child{width:11.5rem}.states .number{width:5.5rem;font-variant-numeric:tabular-nums}
.states td:nth-child(3){width:8.5rem}

.stacking td{overflow-wrap:break-word}.stacking td:first-child{overflow-wrap:anywhere;min-width:9rem}
.stacking td:nth-child(-n+3){white-space:nowrap}.stacking td:first-child{white-space:normal}
.legend{margin:.35rem 0 0}
.group>h3{margin-top:1.9rem;padding-bottom:.1rem}
.passage,.report,.answer{background:var(--sheet);border:1px solid var(--line);border-radius:10px;
padding:1.05rem 1.25rem 1.15rem;margin-top:.9rem;overflow:clip}
.group.failed>.passage,.report{border-inline-start:4px solid var(--failed)}
.group.not-checked>.passage{border-inline-start:4px dashed var(--not-checked)}
.group.verified>.passage{margin-top:.45rem;padding-block:.6rem}
.passage:target,.findings>li:target{outline:2px solid var(--link)}
.source{margin-top:.1rem}
.path{margin-top:.65rem}
blockquote{font-family:Charter,"Iowan Old Style",Georgia,"Noto Serif","Songti SC","Noto Serif CJK SC",
"Noto Naskh Arabic",serif;font-size:1.03rem;line-height:1.65;margin-top:.4rem;padding-inline-start:1rem;
border-inline-start:2px solid var(--line);white-space:pre-wrap;overflow:clip}
blockquote:lang(ja){font-family:"Hiragino Mincho ProN","Yu Mincho","Noto Serif CJK JP",serif}
blockquote:lang(ko){font-family:"Apple SD Gothic Neo","Malgun Gothic","Noto Sans CJK KR",sans-serif}
.around{color:var(--quiet)}
.cut{color:var(--quiet);font:italic .85rem/1.4 system-ui,sans-serif;unicode-bidi:isolate}
.unseen{font:600 .72em/1 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;color:var(--failed);
background:var(--failed-ground);border:1px dashed currentColor;border-radius:3px;padding:.08em .28em;margin:0 .1em;
unicode-bidi:isolate;direction:ltr;white-space:nowrap}
.verdicts{list-style:none;margin-top:.9rem}
.verdicts>li{display:grid;grid-template-columns:6.5rem 8rem 1fr;gap:.1rem .75rem;padding:.4rem 0;
border-top:1px solid var(--line)}
.verdicts>li>.chip{justify-self:start;align-self:start}
.verdicts .facts{margin-top:.05rem}

figure{margin-top:.9rem;padding:.75rem 1rem .85rem;background:var(--ground);border-radius:8px}
figcaption{color:var(--quiet);font-size:.85rem;margin-bottom:.2rem}
.diff{font-family:Charter,"Iowan Old Style",Georgia,"Noto Serif","Songti SC","Noto Serif CJK SC",
"Noto Naskh Arabic",serif;font-size:1.03rem;line-height:1.85;white-space:pre-wrap}
del,ins{unicode-bidi:isolate;padding:.08em .22em;border-radius:3px;-webkit-box-decoration-break:clone;
box-decoration-break:clone}
del{color:var(--failed);background:var(--failed-ground);text-decoration:line-through;text-decoration-thickness:1px}
ins{color:var(--verified);background:var(--verified-ground);text-decoration:underline;text-decoration-thickness:2px;
text-underline-offset:.2em}
.sign{font-weight:700;margin-inline-end:.2em;
font-family:system-ui,sans-serif}
.mark{display:inline-block;unicode-bidi:isolate;font:600 .7rem/1.3 system-ui,sans-serif;color:var(--label);
background:var(--label-ground);border:1px solid var(--line);border-radius:1em;padding:0 .5em;margin-inline-start:.35em;
vertical-align:.12em;white-space:nowrap}

.findings{margin-top:.8rem;padding-inline-start:1.6rem}
.findings>li{padding:.45rem 0}
.findings>li+li{border-top:1px solid var(--line)}
.findings .diff{margin-top:.3rem}
.pair{display:grid;grid-template-columns:5.5rem 1fr;gap:.05rem .75rem;margin-top:.15rem;font-size:.94rem}
.pair dt{color:var(--quiet)}.pair dd{margin:0}
.answer .text{margin-top:.9rem}
mark{color:inherit;background:var(--mark);border-bottom:2px solid var(--not-checked);padding:.06em 0}
mark.twice{background:var(--mark-twice);border-bottom-style:double;border-bottom-width:3px}
sup{font:600 .72rem/1 system-ui,sans-serif;unicode-bidi:isolate;margin-inline:.12em;scroll-margin-top:4rem}
sup:target a{outline:2px solid var(--link)}
.support{padding-inline-start:1.1rem;margin-top:.2rem;color:var(--quiet);font-size:.9rem}
.gaps{display:grid;grid-template-columns:7rem 1fr;margin-top:.6rem}
.gaps dt{grid-column:1;color:var(--quiet);padding:.3rem 0}
.gaps dd{grid-column:2;margin:0;padding:.3rem 0}
.gaps dt,.gaps dt+dd{border-top:1px solid var(--line)}
.gaps dd+dd{padding-top:0}
summary{cursor:pointer}
summary>.quiet{display:block;padding-inline-start:1.05rem}
details[open]>summary{margin-bottom:.4rem}
footer{margin-top:3.5rem;padding-top:.9rem;border-top:1px solid var(--line)}

@media (max-width:42rem){
body{padding:1.4rem 1rem 3rem}
h1{font-size:1.4rem}
.axes>li{display:block;padding:.9rem 1rem}
.axes>li>p{margin-top:.3rem}
.passage,.report,.answer{padding-inline:1rem}
.verdicts>li{grid-template-columns:1fr auto}
.verdicts .said{grid-column:1/-1}
thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
table,tbody,caption{display:block}
tr{display:block;padding:.5rem 0;border-top:1px solid var(--line)}
th,td{border:0;padding:0}
.states tr{display:grid;grid-template-columns:1fr auto auto;gap:.1rem .8rem}
.states th:first-child,.states .number,.states td:nth-child(3){width:auto}
.states td:last-child{grid-column:1/-1;color:var(--quiet)}
.stacking tr{display:block}
.stacking td{display:grid;grid-template-columns:6.5rem 1fr}
.stacking td::before{content:attr(data-label);color:var(--quiet)}
.stacking td:empty{display:none}
}
@media print{
html{font-size:11pt;background:none}
body{max-width:none;padding:0}
nav{display:none}
.passage,.report,.answer,.axes{break-inside:auto}
h2,h3,h4,figcaption{break-after:avoid}
figure,.verdicts>li,.axes>li,tr{break-inside:avoid}
details::details-content{content-visibility:visible;block-size:auto}
.chip,del,ins,mark,rect,.unseen{-webkit-print-color-adjust:exact;print-color-adjust:exact}
a{color:inherit}
}
"""

STYLE = f":root{{color-scheme:light dark;{_variables(LIGHT)}}}\n" + (
    f"@media (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}\n"
    f"@media print{{:root{{color-scheme:light;{_variables(LIGHT)}}}}}{_RULES}"
)
"""The whole style sheet."""
