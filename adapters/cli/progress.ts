/**
 * Shows the progress of long work: on a terminal as one line that is replaced, and otherwise as lines at
 * intervals.
 */
import process from "node:process";
import type { Environment } from "../../mod.ts";
import { log } from "../node/log.ts";

/**
 * Minimum time between two changes of the line, in milliseconds. More frequent writes to a terminal would
 * take longer than the work.
 */
export const LINE_MS = 100;
/** Default interval between two lines without a terminal, in milliseconds. */
export const UNATTENDED_LINE_MS = 5000;
/** Assumed width of a terminal with an unknown width, in columns. */
const USUAL_COLUMNS = 80;
/** Control sequence that erases the current line (ECMA-48: CR, EL). */
const ERASE = "\r\x1b[K";

export interface Terminal {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** Shows the progress of a command. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  readonly #unattendedMs: number;
  #shownMs = -Infinity;
  #isShown = false;
  #reportedMs: number | undefined;

  /**
   * @param now Returns the time of a monotonic clock, in milliseconds.
   * @param unattendedMs Interval between two lines without a terminal, in milliseconds.
   */
  constructor(
    terminal: Terminal = process.stderr,
    now: () => number = () => performance.now(),
    unattendedMs: number = UNATTENDED_LINE_MS,
  ) {
    this.#terminal = terminal;
    this.#now = now;
    this.#unattendedMs = unattendedMs;
  }

  /**
   * Shows a line on a terminal, at most every {@link LINE_MS}. `undefined` erases the line. Without a
   * terminal, nothing is shown.
   */
  readonly show = (line: string | undefined): void => {
    if (this.#terminal.isTTY !== true) return;
    if (line === undefined) return this.clear();
    const now = this.#now();
    if (now - this.#shownMs < LINE_MS) return;
    const width = (this.#terminal.columns || USUAL_COLUMNS) - 1;
    this.#terminal.write(ERASE + line.slice(0, width));
    this.#shownMs = now;
    this.#isShown = true;
  };

  /**
   * Shows a line on a terminal as {@link show} does. Without a terminal, writes lines at intervals.
   * `undefined` ends the work.
   */
  readonly report = (line: string | undefined): void => {
    if (this.#terminal.isTTY === true) return this.show(line);
    const now = this.#now();
    this.#reportedMs = line === undefined ? undefined : this.#reportedMs ?? now;
    if (line === undefined || now - this.#reportedMs! < this.#unattendedMs) return;
    this.#reportedMs = now;
    this.#terminal.write(`${line.trim()}\n`);
  };

  /** Erases the line, so that another text can be written in its place. */
  clear(): void {
    if (!this.#isShown) return;
    this.#terminal.write(ERASE);
    this.#isShown = false;
    this.#shownMs = -Infinity;
  }

  /** Writes a line to the log; to standard error by default. */
  toLog: Environment["log"] = log;

  /** Erases the line, and writes a line to the log. */
  readonly log: Environment["log"] = (level, message, cause) => {
    this.clear();
    this.toLog(level, message, cause);
  };
}
