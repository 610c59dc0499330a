// MiniSearch, set up as Omnisearch's source says that Omnisearch sets it up by default.
//
// All words must match, whole, as a prefix or with a tenth of their letters wrong. Names count 10 times as much as text,
// folders 7, headings 6, 5 and 4 times. Left out: filters, word lists for Chinese, and what the user can switch on.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const words = (text) => text.split(/[\s\p{P}\p{S}]+/u).filter(Boolean);
const blocks = (text) => text.split(/[\s()[\]{}]+/u).filter(Boolean);
const parts = (token) => [...token.split("-"), ...token.split(/(?<=\p{Ll})(?=\p{Lu})/u)].filter(Boolean);
const all = (tokens) => ({ combineWith: "AND", queries: tokens });
const options = {
  prefix: true,
  fuzzy: (term) => (term.length <= 3 ? 0 : term.length <= 5 ? 0.05 : 0.1),
  boost: { basename: 10, aliases: 10, directory: 7, headings1: 6, headings2: 5, headings3: 4 },
  tokenize: (text) => [text],
};

/** An index of notes, with MiniSearch from the folder `modules`, which has `node_modules`. */
export function indexOf(notes, modules) {
  const MiniSearch = createRequire(join(resolve(modules), "/"))("minisearch");
  const index = new MiniSearch({
    fields: ["basename", "directory", "aliases", "content", "headings1", "headings2", "headings3"],
    tokenize: (text) => [...new Set([...words(text).flatMap((token) => [token, ...parts(token)]), ...blocks(text)])],
    processTerm: (term) => term.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase(),
  });
  index.addAll(notes);
  return index;
}

/** A function from a query to the ids of its best `limit` notes. */
export const answersOf = (index, limit) => (text) => {
  const ways = [words(text), blocks(text), words(text).flatMap(parts)].filter((tokens) => tokens.length > 0);
  const hits = index.search({ combineWith: "OR", queries: ways.map(all) }, options);
  return hits.slice(0, limit).map((hit) => hit.id);
};
