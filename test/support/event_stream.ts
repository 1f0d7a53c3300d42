/** Reads a stream of events for a test: event by event, as they were sent. */
import assert from "node:assert/strict";

/** A block of a stream. */
export interface Block {
  readonly id: string | undefined;
  readonly event: string | undefined;
  // deno-lint-ignore no-explicit-any -- tests read members of any event
  readonly data: any;
}

/** The blocks of an answer. */
export class EventStream {
  /** Comments so far. */
  comments = 0;
  /** The id of the last block that had one. */
  lastId: string | undefined;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(response: Response) {
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    this.#reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  /** The next event; `undefined` at the end. */
  async next(): Promise<Block | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#parse(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 2);
        if (block.event !== undefined) return block;
        continue;
      }
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** Reads until the position in the log is known. From then on, the stream has each change. */
  async begin(): Promise<this> {
    while (this.lastId === undefined) {
      const { value } = await this.#reader.read();
      this.#text += this.#decoder.decode(value, { stream: true });
      for (let end; (end = this.#text.indexOf("\n\n")) >= 0;) {
        const block = this.#parse(this.#text.slice(0, end));
        if (block.event !== undefined) break;
        this.#text = this.#text.slice(end + 2);
      }
    }
    return this;
  }

  /** The data of the next events of a type. */
  // deno-lint-ignore no-explicit-any -- tests read members of any event
  async nextOf(type: string): Promise<any> {
    for (;;) {
      const block = await this.next();
      assert.ok(block !== undefined, "the stream has ended");
      if (block.event === type) return block.data;
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }

  #parse(text: string): Block {
    const fields = new Map<string, string>();
    for (const line of text.split("\n")) {
      const at = line.indexOf(":");
      if (at === 0) this.comments++;
      else if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2));
    }
    const data = fields.get("data");
    this.lastId = fields.get("id") ?? this.lastId;
    return {
      id: fields.get("id"),
      event: fields.get("event"),
      data: data === undefined ? undefined : JSON.parse(data),
    };
  }
}
