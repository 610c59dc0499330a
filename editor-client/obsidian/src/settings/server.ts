// Written by .ci/write_obsidian.py from the server's settings. Do not edit.

/** A setting of the server. `initial` is null if the preset, or no endpoint, is meant. */
export interface ServerSetting {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** Whether it belongs to this machine: it decides where text is sent or files are written. */
  readonly isOfMachine: boolean;
  readonly kind: "switch" | "number" | "integer" | "text" | "list" | "choice" | "endpoint";
  readonly initial: boolean | number | string | readonly string[] | null;
  readonly choices?: readonly string[];
  readonly least?: number;
  readonly most?: number;
  /** The fields of an endpoint, and whether each is text. */
  readonly fields?: Readonly<Record<string, "text" | "number">>;
  readonly required?: readonly string[];
}

export const SERVER_SETTINGS: readonly ServerSetting[] = [
  {"name": "maxResults", "title": "Notes in an answer", "about": "Maximum number of notes in an answer.", "isOfMachine": false, "kind": "integer", "initial": 30, "least": 1, "most": 100},
  {"name": "patienceS", "title": "Patience while reading", "about": "How many seconds an answer waits while a vault is read for the first time.", "isOfMachine": false, "kind": "number", "initial": 3.0, "least": 0, "most": 60},
  {"name": "preset", "title": "Preset", "about": "How to rank: a preset of sources, fusion and boosts.", "isOfMachine": false, "kind": "choice", "initial": "balanced", "choices": ["balanced", "tiered-lexical", "graph-linear", "graph-spread", "intent-hybrid", "neighbour-recency"]},
  {"name": "include", "title": "Search only", "about": "Search only these: folders, `*.ext`, `#tag`, `[[note]]`. If empty, all notes.", "isOfMachine": false, "kind": "list", "initial": []},
  {"name": "exclude", "title": "Do not search", "about": "Do not search these: folders, `*.ext`, `#tag`, `[[note]]`.", "isOfMachine": false, "kind": "list", "initial": []},
  {"name": "fileTypes", "title": "File types", "about": "Which files to search next to Markdown notes; if empty, only notes.", "isOfMachine": false, "kind": "list", "initial": ["canvas", "base", "txt", "org", "rst", "adoc", "html", "ipynb", "csv", "pdf", "docx", "pptx", "xlsx", "odt", "epub", "image", "audio", "video", "document", "archive", "file"]},
  {"name": "maxNoteBytes", "title": "Bytes of a long note", "about": "How much of the beginning of a long note is read.", "isOfMachine": false, "kind": "integer", "initial": 10485760},
  {"name": "keepSnapshot", "title": "Keep a snapshot", "about": "Keep what was read of the notes in your cache folder, so that the next start is fast.", "isOfMachine": false, "kind": "switch", "initial": true},
  {"name": "candidateLimit", "title": "Notes to rank", "about": "Maximum number of notes to rank for a query. If empty, the preset decides.", "isOfMachine": false, "kind": "integer", "initial": null, "least": 10, "most": 1000},
  {"name": "stemWeight", "title": "Weight of other forms of a word", "about": "The weight of other forms of a word compared to the word itself; 0 ignores them. If empty, the preset decides.", "isOfMachine": false, "kind": "number", "initial": null, "least": 0, "most": 1},
  {"name": "typoWeight", "title": "Weight of corrected words", "about": "The weight of words that correct a misspelled one; 0 ignores them. If empty, the preset decides.", "isOfMachine": false, "kind": "number", "initial": null, "least": 0, "most": 1},
  {"name": "fusion", "title": "Fusion", "about": "How to combine the results by words and by meaning: by score or by rank. If empty, the preset decides.", "isOfMachine": false, "kind": "choice", "initial": null, "choices": ["linear", "rrf"]},
  {"name": "rrfK", "title": "Constant of the fusion by rank", "about": "The constant k of the fusion by rank. If empty, the preset decides.", "isOfMachine": false, "kind": "integer", "initial": null, "least": 1, "most": 100},
  {"name": "enableSemantic", "title": "Search by meaning", "about": "Also find notes by their meaning, with a model on this machine.", "isOfMachine": false, "kind": "switch", "initial": true},
  {"name": "semanticWeight", "title": "Share of meaning", "about": "The share of semantic similarity in the score. If empty, the preset decides.", "isOfMachine": false, "kind": "number", "initial": null, "least": 0, "most": 1},
  {"name": "semanticScope", "title": "Scope of meaning", "about": "Whether to find notes by meaning, or only to rank those that contain words of the query. If empty, the preset decides.", "isOfMachine": false, "kind": "choice", "initial": null, "choices": ["vault", "candidates"]},
  {"name": "mode", "title": "Mode", "about": "The default mode of a search: words and meaning, or only one of them.", "isOfMachine": false, "kind": "choice", "initial": "hybrid", "choices": ["hybrid", "keyword", "vector"]},
  {"name": "embeddingModel", "title": "Model", "about": "The model on this machine that computes vectors. `auto` is the multilingual one if it is installed and most notes are not English.", "isOfMachine": false, "kind": "choice", "initial": "auto", "choices": ["auto", "minilm-l6-v2", "multilingual-e5-small"]},
  {"name": "autoIndex", "title": "Compute vectors", "about": "When to compute vectors without a command.", "isOfMachine": false, "kind": "choice", "initial": "onSearch", "choices": ["never", "onStartup", "onModeSwitch", "onSearch"]},
  {"name": "semanticPatienceS", "title": "Patience for vectors", "about": "How many seconds a search waits for the vectors of its best notes.", "isOfMachine": false, "kind": "number", "initial": 2.0, "least": 0, "most": 60},
  {"name": "indexFolder", "title": "Folder for vectors and snapshots", "about": "The folder for vectors and snapshots. If empty, your cache folder.", "isOfMachine": true, "kind": "text", "initial": ""},
  {"name": "rerankPatienceS", "title": "Patience for the reranker", "about": "How many seconds a search waits for the reranker.", "isOfMachine": false, "kind": "number", "initial": 2.0, "least": 0.05, "most": 60},
  {"name": "rerankThresholdMs", "title": "Slowest reranker", "about": "A reranker whose slowest 5 of 100 answers take longer is switched off for a minute.", "isOfMachine": false, "kind": "number", "initial": 500.0, "least": 10, "most": 60000},
  {"name": "snippets", "title": "Excerpts of a note", "about": "How many excerpts to show for each note.", "isOfMachine": false, "kind": "integer", "initial": 3, "least": 1, "most": 10},
  {"name": "embedding", "title": "Endpoint for vectors", "about": "An OpenAI-compatible endpoint that computes vectors, instead of the model on this machine. **Text of your notes is sent there.**", "isOfMachine": true, "kind": "endpoint", "initial": null, "required": ["baseUrl", "model"], "fields": {"baseUrl": "text", "model": "text", "keyVariable": "text", "dimensions": "number", "batchSize": "number", "timeoutS": "number", "maxTokens": "number", "queryPrefix": "text", "passagePrefix": "text"}},
  {"name": "chat", "title": "Endpoint for questions", "about": "An OpenAI-compatible endpoint that writes a passage for each question, which is searched as well. **Your questions are sent there.**", "isOfMachine": true, "kind": "endpoint", "initial": null, "required": ["baseUrl", "model"], "fields": {"baseUrl": "text", "model": "text", "keyVariable": "text", "timeoutS": "number"}},
  {"name": "rerank", "title": "Endpoint for reranking", "about": "A `/v1/rerank` endpoint that reorders the best notes. **Excerpts of your notes and your queries are sent there.**", "isOfMachine": true, "kind": "endpoint", "initial": null, "required": ["baseUrl", "model"], "fields": {"baseUrl": "text", "model": "text", "keyVariable": "text", "timeoutS": "number", "batchSize": "number"}},
];
