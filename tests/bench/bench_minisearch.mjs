// Answers queries with MiniSearch as `minisearch_setup.mjs` sets it up.
//
//   node bench_minisearch.mjs FOLDER_OF_MINISEARCH < {"notes": [...], "queries": {id: text}} > {id: [note, ...]}

import { readFileSync } from "node:fs";
import { answersOf, indexOf } from "./minisearch_setup.mjs";

const { notes, queries } = JSON.parse(readFileSync(0, "utf8"));
const answer = answersOf(indexOf(notes, process.argv[2]), 160);
process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(queries).map(([id, text]) => [id, answer(text)]))));
