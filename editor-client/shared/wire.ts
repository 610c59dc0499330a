// Written by .ci/write_vscode.py from lsp_server/wire/types.py. Do not edit.

export const METHOD_SEARCH = "vaultseek/search";
export const METHOD_EXPLAIN = "vaultseek/explain";
export const METHOD_CONTEXT = "vaultseek/context";
export const METHOD_RELATED = "vaultseek/related";
export const METHOD_TEXT = "vaultseek/text";
export const METHOD_STATUS = "vaultseek/status";
export const COMMAND_UPDATE = "vaultseek.updateIndex";
export const COMMAND_REBUILD = "vaultseek.rebuildIndex";
export const COMMAND_CLEAR = "vaultseek.clearIndex";
export const COMMAND_COLLECT = "vaultseek.collectGarbage";

export interface SearchOptions {
  maxResults?: number;
  candidateLimit?: number;
  rrfK?: number;
  enableSemantic?: boolean;
  semanticWeight?: number;
  semanticScope?: "vault" | "candidates";
  salientTerms?: readonly string[];
  preset?: string;
  mode?: "hybrid" | "keyword" | "vector";
  level?: "note" | "file";
  depth?: number;
  linkTypes?: readonly string[];
  includeLinked?: boolean;
  includeTerms?: boolean;
  docType?: readonly string[];
  folder?: string;
  tags?: readonly string[];
  types?: readonly string[];
  limitTo?: readonly string[];
}

export interface SearchParams {
  query: string;
  options?: SearchOptions;
  vault?: string;
  workDoneToken?: number | string;
  partialResultToken?: number | string;
}

export interface ContextParams {
  query: string;
  maxTokens?: number;
  options?: SearchOptions;
  vault?: string;
  workDoneToken?: number | string;
}

export interface ExplainParams {
  query: string;
  note: string;
  options?: SearchOptions;
  vault?: string;
  workDoneToken?: number | string;
}

export interface WirePosition {
  line: number;
  character: number;
}

export interface WireRange {
  start: WirePosition;
  end: WirePosition;
}

export interface WireDocument {
  uri: string;
}

export interface RelatedParams {
  textDocument: WireDocument;
  heading?: string;
  range?: WireRange;
  linked?: "include" | "last" | "exclude";
  limit?: number;
  vault?: string;
  workDoneToken?: number | string;
}

export interface TextParams {
  textDocument: WireDocument;
  vault?: string;
  workDoneToken?: number | string;
}

export interface VaultParams {
  vault?: string;
}

export interface WireSnippet {
  text: string;
  range: WireRange;
  highlights: readonly WireRange[];
  marks: readonly (readonly [number, number])[];
  fragment?: string;
  page?: number;
  pageLabel?: string;
  textRange?: WireRange;
}

export interface FieldMatch {
  field: "title" | "path" | "tags" | "headings" | "links" | "properties" | "body";
  query: string;
  weight: number;
  count: number;
  kind: "word" | "stem" | "prefix" | "near" | "inner" | "meant";
  suggested?: boolean;
  form?: string;
}

export interface FolderEvidence {
  folder: string;
  documentCount: number;
  totalCount: number;
  boostFactor: number;
}

export interface GraphEvidence {
  backlinks: number;
  coCitations: number;
  sharedTags: number;
  score: number;
  boostMultiplier: number;
}

export interface LinkEvidence {
  origin: string;
  hops: number;
  types: readonly string[];
}

export interface Passage {
  lines: readonly [number, number];
  cosine: number;
}

export interface Arithmetic {
  formula: string;
  numbers: Record<string, number>;
}

export interface FieldCount {
  kind: "word" | "stem" | "prefix" | "near" | "inner" | "meant";
  field: "title" | "path" | "tags" | "headings" | "links" | "properties" | "body";
  count: number;
  weight: number;
  b: number;
  length: number;
  meanLength: number;
}

export interface FrequencyPart {
  scale: number;
  saturated: boolean;
  fields: readonly FieldCount[];
}

export interface TermScore {
  term: string;
  score: number;
  times: number;
  df: number;
  nNotes: number;
  share: number;
  idf: number;
  k1: number;
  frequency: number;
  parts: readonly FrequencyPart[];
}

export interface Found {
  kind: "found";
  source: string;
  raw: number;
  arithmetic?: Arithmetic;
  terms?: readonly TermScore[];
}

export interface Fused {
  kind: "fused";
  source: string;
  rank: number;
  weight: number;
  amount: number;
  arithmetic?: Arithmetic;
}

export interface Scaled {
  kind: "scaled";
  by: string;
  factor: number;
  why: string;
  arithmetic?: Arithmetic;
}

export interface Replaced {
  kind: "replaced";
  by: string;
  value: number;
  why: string;
  arithmetic?: Arithmetic;
}

export interface WordStrength {
  word: string;
  idf: number;
  weight: number;
  quality: number;
  match?: "word" | "stem" | "prefix" | "near" | "inner" | "meant";
  field?: "title" | "path" | "tags" | "headings" | "links" | "properties" | "body";
  form?: string;
  isNear: boolean;
}

export interface StrengthDerivation {
  value: number;
  exactName?: string;
  words: readonly WordStrength[];
  coverage: number;
  nearness: number;
  byWords: number;
  cosine?: number;
  floor?: number;
  ceiling?: number;
  byMeaning: number;
}

export interface WireExplanation {
  lexicalMatches: readonly FieldMatch[];
  exactName?: string;
  semanticScore?: number;
  semanticLines?: readonly [number, number];
  folderBoost?: FolderEvidence;
  graphConnections?: GraphEvidence;
  link?: LinkEvidence;
  passages?: readonly Passage[];
  baseScore: number;
  finalScore: number;
  trail: readonly (Found | Fused | Scaled | Replaced)[];
  strength?: StrengthDerivation;
}

export interface WireLinked {
  id: string;
  uri: string;
  title: string;
  types: readonly string[];
  isBacklink: boolean;
}

export interface FoundSection {
  headingPath: readonly string[];
  line: number;
}

export interface WireResult {
  id: string;
  uri: string;
  title: string;
  score: number;
  strength?: number;
  strengthLevel?: "exact" | "strong" | "good" | "fair" | "weak";
  engine: string;
  sentence: string;
  snippets: readonly WireSnippet[];
  sections: readonly FoundSection[];
  explanation: WireExplanation;
  scoreBreakdown: Record<string, number>;
  relevanceReason: string;
  staleness?: "fresh" | "aging" | "stale";
  linkedPages?: readonly WireLinked[];
}

export interface WireRelated {
  id: string;
  uri: string;
  title: string;
  score: number;
  strength?: number;
  strengthLevel?: "exact" | "strong" | "good" | "fair" | "weak";
  engine: string;
  sentence: string;
  snippets: readonly WireSnippet[];
  sections: readonly FoundSection[];
  explanation: WireExplanation;
  scoreBreakdown: Record<string, number>;
  relevanceReason: string;
  staleness?: "fresh" | "aging" | "stale";
  linkedPages?: readonly WireLinked[];
  reason: string;
  isLinked: boolean;
}

export interface WireExpandedQuery {
  original: string;
  terms: readonly string[];
  suggested?: readonly string[];
  variants?: readonly string[];
  concepts?: readonly string[];
  passage?: string;
}

export interface Notice {
  kind: "degraded" | "skipped" | "truncated" | "corrected" | "partial" | "note";
  code: string;
  message: string;
  subject?: string;
}

export interface SearchAnswer {
  results: readonly WireResult[];
  notices: readonly Notice[];
  total: number;
  mode: string;
  searchType: string;
  complete: boolean;
  generation: number;
  expandedQuery: WireExpandedQuery;
  timings: Record<string, number>;
  vault?: string;
}

export interface RelatedAnswer {
  results: readonly WireRelated[];
  notices: readonly Notice[];
  total: number;
  complete: boolean;
  generation: number;
  vault?: string;
}

export interface WirePlace {
  line: number;
  fragment: string;
  label?: string;
}

export interface TextAnswer {
  id: string;
  uri: string;
  title: string;
  text: string;
  places: readonly WirePlace[];
  cut: boolean;
  vault: string;
}

export interface ExplainAnswer {
  note: string;
  uri?: string;
  rank?: number;
  total: number;
  step: string;
  sentence: string;
  found?: WireResult;
  lastShown?: WireResult;
  notices: readonly Notice[];
  vault: string;
}

export interface WirePassage {
  id: string;
  uri: string;
  title: string;
  start: number;
  end: number;
  lines: readonly [number, number];
  headings: readonly string[];
  text: string;
  rank: number;
  fragment?: string;
  page?: number;
}

export interface ContextAnswer {
  text: string;
  passages: readonly WirePassage[];
  tokens: number;
  maxTokens: number;
  total: number;
  shown: number;
  cut: number;
  repeated: number;
  withoutVectors: number;
  notices: readonly Notice[];
  mode: string;
  complete: boolean;
  generation: number;
  vault?: string;
}

export interface WireSkipped {
  note: string;
  reason: string;
}

export interface WireSemantic {
  model: string;
  notes: number;
  vectors: number;
  missing: number;
  gists: number;
  missingGists: number;
  unreadable: number;
  cacheBytes: number;
  folder: string;
  filling: boolean;
  secondsLeft?: number;
  problem?: string;
}

export interface WireSpeed {
  count: number;
  p50: number;
  p95: number;
}

export interface WireVault {
  uri: string;
  name: string;
  state: "idle" | "reading" | "ready" | "refused" | "failed";
  reason?: string;
  notes: number;
  pending: number;
  generation: number;
  openNotes: number;
  skipped: readonly WireSkipped[];
  notices: readonly Notice[];
  semantic?: WireSemantic;
  searches?: WireSpeed;
}

export interface StatusAnswer {
  version: string;
  positionEncoding: string;
  message: string;
  vaults: readonly WireVault[];
}

export interface CommandAnswer {
  command: string;
  notes: number;
  message: string;
}
