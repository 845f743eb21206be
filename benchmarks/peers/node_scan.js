// A scan in node: what a hook written in JavaScript does, with synchronous reads and no packages.
const fs = require("fs");
const path = require("path");

const LIMIT = 9000;
const NOT_PAGES = new Set(["index.md", "MEMORY.md", "README.md", "log.md", "contradictions.md"]);
const words = (text) => " " + text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean).join(" ") + " ";

const payload = JSON.parse(fs.readFileSync(0, "utf8"));
const prompt = words(payload.prompt);
const folder = path.join(payload.cwd, ".abcd", "memory");
const found = [];
for (const name of fs.readdirSync(folder)) {
  if (!name.endsWith(".md") || NOT_PAGES.has(name)) continue;
  const text = fs.readFileSync(path.join(folder, name), "utf8");
  const end = text.indexOf("\n---\n", 4);
  const recall = /^\s*recall:\s*\[(.*)\]\s*$/m.exec(text.slice(0, end));
  if (!recall) continue;
  const hits = recall[1].split(",").filter((keyword) => prompt.includes(words(keyword))).length;
  if (hits) found.push([hits, name, text.slice(end + 5)]);
}
found.sort((a, b) => b[0] - a[0] || (a[1] < b[1] ? -1 : 1));
let room = LIMIT;
let context = "";
for (const [, name, body] of found) {
  let part = `## ${name}\n${body.trim()}\n`;
  if (part.length > room) part = `- \`${name}\`\n`;
  if (part.length > room) break;
  context += part;
  room -= part.length;
}
if (context) {
  console.log(JSON.stringify({
    hookSpecificOutput: { hookEventName: payload.hook_event_name, additionalContext: context },
  }));
}
