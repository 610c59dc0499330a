// Answers queries with MiniSearch, set up as Omnisearch's source says that Omnisearch sets it up by default.
//
//   node bench_minisearch.mjs FOLDER_OF_MINISEARCH < {"notes": [...], "queries": {id: text}} > {id: [note, ...]}
//
// All words must match, whole, as a prefix or with a tenth of their letters wrong. Names count 10 times as much as text,
// folders 7, headings 6, 5 and 4 times. Left out: filters, word lists for Chinese, and what the user can switch on.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const MiniSearch = createRequire(join(resolve(process.argv[2]), "/"))("minisearch");
const { notes, queries } = JSON.parse(readFileSync(0, "utf8"));

const words = (text) => text.split(/[\s\p{P}\p{S}]+/u).filter(Boolean);
const blocks = (text) => text.split(/[\s()[\]{}]+/u).filter(Boolean);
const parts = (token) => [...token.split("-"), ...token.split(/(?<=\p{Ll})(?=\p{Lu})/u)].filter(Boolean);

const index = new MiniSearch({
  fields: ["basename", "directory", "aliases", "content", "headings1", "headings2", "headings3"],
  tokenize: (text) => [...new Set([...words(text).flatMap((token) => [token, ...parts(token)]), ...blocks(text)])],
  processTerm: (term) => term.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase(),
});
index.addAll(notes);

const all = (tokens) => ({ combineWith: "AND", queries: tokens });
const options = {
  prefix: true,
  fuzzy: (term) => (term.length <= 3 ? 0 : term.length <= 5 ? 0.05 : 0.1),
  boost: { basename: 10, aliases: 10, directory: 7, headings1: 6, headings2: 5, headings3: 4 },
  tokenize: (text) => [text],
};
const found = ([id, text]) => {
  const ways = [words(text), blocks(text), words(text).flatMap(parts)].filter((tokens) => tokens.length > 0);
  const hits = index.search({ combineWith: "OR", queries: ways.map(all) }, options);
  return [id, hits.slice(0, 160).map((hit) => hit.id)];
};
process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(queries).map(found))));
