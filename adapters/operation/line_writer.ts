/** Writes lines in the background, so that the service does not wait when the log is read slowly. */

/** Maximum number of characters that wait to be written. Further lines are dropped. */
export const MAX_WAITING_CHARACTERS = 2 ** 20;
/** Number of characters after which a write ends. The next write contains the remaining lines. */
const WRITE_CHARACTERS = 2 ** 16;

export class LineWriter {
  readonly #write: (text: string) => Promise<void>;
  readonly #leftOutLine: (lines: number) => string;
  readonly #gatherMs: number;
  #waiting: string[] = [];
  #characters = 0;
  #leftOut = 0;
  #writing: Promise<void> | undefined;
  /** Ends the delay in which lines are collected. */
  #endGathering = () => {};
  #isFlushing = false;

  /**
   * @param write Writes the whole text. When the promise rejects, the text is lost.
   * @param leftOutLine Makes a line with the number of dropped lines.
   * @param gatherMs Time for which lines are collected for one write, in milliseconds.
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

  /** Adds a line. The text must include the line end. */
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
      // The delay comes before every write. Otherwise each later write would contain only the few lines that
      // arrived during the previous write.
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
