// What of WCAG 2.2 a program can see on a page, told as a list of sentences: names, languages, ids, contrast, room.
const told = [];
const name = (one) => one.outerHTML.slice(0, 90).replace(/\s+/g, " ");
const shown = (one) => {
  const box = one.getBoundingClientRect();
  return box.width > 1 && box.height > 1 && one.checkVisibility({ visibilityProperty: true });
};
const all = (what) => [...document.querySelectorAll(what)].filter(shown);
const words = (one) => (one.getAttribute("aria-label") || one.textContent || "").trim();

if (!document.documentElement.lang) told.push("the page has no language");
if (!document.title.trim()) told.push("the page has no title");
if (document.querySelectorAll("h1").length !== 1) told.push("there is not one h1");
if (!document.querySelector("main")) told.push("there is no main");
const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
for (const id of new Set(ids.filter((one, at) => ids.indexOf(one) !== at))) told.push(`two things are called ${id}`);
for (const one of all("a[href], button, summary")) if (!words(one)) told.push(`it has no name: ${name(one)}`);
for (const one of all("img")) if (!one.hasAttribute("alt")) told.push(`it has no alt: ${name(one)}`);
for (const one of all("svg[role=img], [role=region], aside, nav")) {
  const by = one.getAttribute("aria-labelledby");
  if (!(by ? document.getElementById(by) : one.hasAttribute("aria-label"))) told.push(`it has no name: ${name(one)}`);
}
for (const one of all("input:not([type=hidden]), select, textarea")) {
  if (!one.labels.length && !one.getAttribute("aria-label")) told.push(`it has no label: ${name(one)}`);
}
for (const one of all("td, th")) if (!one.closest("table").querySelector("th")) told.push(`it has no heading: ${name(one)}`);
for (const one of all("button, summary, input:not([type=hidden]), select, nav a, .documents a.small")) {
  const box = (one.closest("label") || one).getBoundingClientRect();
  if (Math.min(box.width, box.height) < 16 || Math.max(box.width, box.height) < 24) told.push(`it is too small: ${name(one)}`);
}

const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const colour = (said) => {
  paint.clearRect(0, 0, 1, 1);
  paint.fillStyle = said;
  paint.fillRect(0, 0, 1, 1);
  return [...paint.getImageData(0, 0, 1, 1).data];
};
const light = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const behind = (one) => {
  for (let at = one; at; at = at.parentElement) {
    const found = colour(getComputedStyle(at).backgroundColor);
    if (found[3] === 255) return found;
  }
  return [255, 255, 255];
};
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const one = walk.currentNode.parentElement;
  if (!walk.currentNode.textContent.trim() || !shown(one) || one.closest("svg, script, .hidden, .skip")) continue;
  const style = getComputedStyle(one), size = parseFloat(style.fontSize);
  const [a, b] = [light(colour(style.color)), light(behind(one))].sort((x, y) => y - x);
  const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
  if ((a + 0.05) / (b + 0.05) < least) told.push(`it is hard to read, ${((a + 0.05) / (b + 0.05)).toFixed(2)}: ${name(one)}`);
}
if (document.documentElement.scrollWidth > innerWidth) told.push(`the page is ${document.documentElement.scrollWidth} wide, its window ${innerWidth}`);
return told;
