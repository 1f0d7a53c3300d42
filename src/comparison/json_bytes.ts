/** JSON that is written in pieces, as UTF-8. */
import { joinBytes } from "../bytes/join.ts";

/** Characters of JSON that are encoded at once. */
const CHUNK_LENGTH = 2 ** 18;

const encoder = new TextEncoder();

/** Takes text in pieces. */
export class JsonBytes {
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #encodedBytes = 0;
  #text = "";

  /** Bytes so far; what is not encoded yet counts by its characters. */
  get length(): number {
    return this.#encodedBytes + this.#text.length;
  }

  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= CHUNK_LENGTH) this.#encode();
  }

  /** What has been written up to now. */
  mark(): { readonly chunks: number; readonly bytes: number } {
    this.#encode();
    return { chunks: this.#chunks.length, bytes: this.#encodedBytes };
  }

  /** Takes back what was written since a mark. */
  returnTo({ chunks, bytes }: { readonly chunks: number; readonly bytes: number }): void {
    this.#text = "";
    this.#chunks.length = chunks;
    this.#encodedBytes = bytes;
  }

  /** All bytes. */
  toBytes(): Uint8Array<ArrayBuffer> {
    this.#encode();
    return this.#chunks.length === 1 ? this.#chunks[0]! : joinBytes(this.#chunks);
  }

  #encode(): void {
    if (this.#text === "") return;
    const bytes = encoder.encode(this.#text);
    this.#text = "";
    this.#chunks.push(bytes);
    this.#encodedBytes += bytes.length;
  }
}
