// An OpenAI-compatible embeddings endpoint whose answers the suite can delay, allow or refuse.

import { createServer } from "node:http";

const N = 32;

export class Endpoint {
  static async start() {
    const endpoint = new Endpoint();
    endpoint.server = createServer((request, response) => void endpoint.answer(request, response));
    await new Promise((done) => endpoint.server.listen(0, "127.0.0.1", done));
    endpoint.baseUrl = `http://127.0.0.1:${endpoint.server.address().port}/v1`;
    return endpoint;
  }

  constructor() {
    this.asked = []; // the authorization of each request
    this.left = Infinity; // how many requests are answered before the others have to wait
    this.isDown = false;
    this.waiting = [];
  }

  /** Answers this many requests and holds back later ones. */
  letThrough(n) {
    this.left = n;
    for (const answer of this.waiting.splice(0)) {
      answer();
    }
  }

  async answer(request, response) {
    let body = "";
    for await (const chunk of request) {
      body += chunk;
    }
    this.asked.push(request.headers.authorization ?? "");
    response.setHeader("content-type", "application/json");
    if (this.isDown) {
      response.statusCode = 400;
      response.end(JSON.stringify({ error: { message: "The model is asleep." } }));
      return;
    }
    while (this.left <= 0) {
      await new Promise((done) => this.waiting.push(done));
    }
    this.left -= 1;
    const { input, model } = JSON.parse(body);
    const data = [input].flat().map((text, index) => ({ object: "embedding", index, embedding: vector(text) }));
    response.end(JSON.stringify({ object: "list", model, data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
  }

  stop() {
    this.letThrough(Infinity);
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** A vector of word counts in buckets, so that texts with the same words are similar. */
function vector(text) {
  const counts = new Array(N).fill(0.01);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    counts[[...word].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)) % 9973, 7) % N] += 1;
  }
  return counts;
}
