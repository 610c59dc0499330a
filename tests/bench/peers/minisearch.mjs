// MiniSearch, set up as Omnisearch sets it up by default (see ../minisearch_setup.mjs); it makes no excerpts.
//
//   node minisearch.mjs ROOT FOLDER_OF_MINISEARCH < queries

import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { answersOf, indexOf } from "../minisearch_setup.mjs";

const [root, modules] = process.argv.slice(2);
const headings = (text, level) => [...text.matchAll(new RegExp(`^#{${level}} +(.+)$`, "gmu"))].map(([, heading]) => heading).join(" ");
const note = (path) => {
  const content = readFileSync(path, "utf8");
  const id = relative(root, path);
  const levels = Object.fromEntries([1, 2, 3].map((level) => [`headings${level}`, headings(content, level)]));
  return { id, basename: basename(id, ".md"), directory: dirname(id), aliases: "", content, ...levels };
};

const queries = JSON.parse(readFileSync(0, "utf8"));
const ms = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const files = readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".md"));
const answer = answersOf(indexOf(files.map((name) => note(join(root, name))), modules), 10);
answer(queries[0]);
const cold_s = ms() / 1000;
const warm_ms = queries.map((query) => {
  const begun = ms();
  answer(query);
  return ms() - begun;
});
process.stdout.write(JSON.stringify({ cold_s, warm_ms, mb: process.memoryUsage().rss / 1e6 }));
