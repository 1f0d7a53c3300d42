/** Writes lines in the background, so that the service does not wait for a slow reader of the log. */

/** Most characters that wait to be written. Further lines are left out. */
export const MAX_WAITING_CHARACTERS = 2 ** 20;
/** Most characters of one write. */
const WRITE_CHARACTERS = 2 ** 16;

/** Buffers lines and writes them to an output in the background. */
export class LineWriter {
  readonly #write: (text: string) => Promise<void>;
  readonly #leftOutLine: (lines: number) => string;
  readonly #gatherMs: number;
  #waiting: string[] = [];
  #characters = 0;
  #leftOut = 0;
  #writing: Promise<void> | undefined;
  /** Ends the wait in which lines are gathered. */
  #endGathering = () => {};
  #isFlushing = false;

  /**
   * @param write Writes a text to its end. When it rejects, the text is lost.
   * @param leftOutLine Makes a line with the number of lines that were left out.
   * @param gatherMs Time in which lines are gathered for one write, in milliseconds.
   */
  constructor(
    write: (text: string) => Promise<void>,
    leftOutLine: (lines: number) => string,
    gatherMs: number,
  ) {
    this.#write = write;
    this.#leftOutLine = leftOutLine;
    this.#gatherMs = gatherMs;
  }

  /** Adds a line, which includes its line end. */
  add(line: string): void {
    if (this.#characters + line.length > MAX_WAITING_CHARACTERS) {
      this.#leftOut++;
      return;
    }
    this.#waiting.push(line);
    this.#characters += line.length;
    this.#writing ??= this.#writeAll().finally(() => this.#writing = undefined);
  }

  /** Resolves when all lines have been written. Never rejects. */
  async flush(): Promise<void> {
    this.#isFlushing = true;
    this.#endGathering();
    await this.#writing;
    this.#isFlushing = false;
  }

  #gather(): Promise<void> | undefined {
    if (this.#isFlushing || this.#gatherMs === 0) return undefined;
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#gatherMs);
      this.#endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Also waits after a write. Otherwise each write would have only the few lines that came during the
      // write before.
      await this.#gather();
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#characters = 0;
      if (this.#leftOut > 0) waiting.push(this.#leftOutLine(this.#leftOut));
      this.#leftOut = 0;
      let text = "";
      for (const line of waiting) {
        text += line;
        if (text.length < WRITE_CHARACTERS) continue;
        await this.#write(text).catch(() => {});
        text = "";
      }
      if (text !== "") await this.#write(text).catch(() => {});
    }
  }
}
