/**
 * Shows the progress of long work: one line on a terminal that is replaced, otherwise a new line at
 * intervals.
 */
import process from "node:process";
import type { Environment } from "../../mod.ts";
import { log } from "../node/log.ts";

/**
 * Shortest time for which a line is shown, in milliseconds. Writing to a terminal more often would be slower
 * than the work.
 */
export const LINE_MS = 100;
/** Default time between two lines where there is no terminal, in milliseconds. */
export const UNATTENDED_LINE_MS = 5000;
/** Columns of a terminal whose width is unknown. */
const USUAL_COLUMNS = 80;
/** Returns to the start of the line and erases it (ECMA-48: CR, EL). */
const ERASE = "\r\x1b[K";

/** The part of a terminal's stream that is used here. */
export interface Terminal {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** The progress of a command. Without a terminal, {@link Progress.show} shows nothing. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  readonly #unattendedMs: number;
  #shownMs = -Infinity;
  #isShown = false;
  /** Time of the last line without a terminal, or of the start of the current work. */
  #reportedMs: number | undefined;

  /**
   * @param now A monotonic clock in milliseconds.
   * @param unattendedMs Time between two lines where there is no terminal, in milliseconds.
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
   * Shows a line on a terminal, unless the previous line is too recent; `undefined` ends the work and erases
   * the line.
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
   * Shows a line like {@link show}. Without a terminal, it writes a line at intervals while the work
   * continues.
   */
  readonly report = (line: string | undefined): void => {
    if (this.#terminal.isTTY === true) return this.show(line);
    const now = this.#now();
    this.#reportedMs = line === undefined ? undefined : this.#reportedMs ?? now;
    if (line === undefined || now - this.#reportedMs! < this.#unattendedMs) return;
    this.#reportedMs = now;
    this.#terminal.write(`${line.trim()}\n`);
  };

  /** Erases the line, so that other text can be written there. */
  clear(): void {
    if (!this.#isShown) return;
    this.#terminal.write(ERASE);
    this.#isShown = false;
    this.#shownMs = -Infinity;
  }

  /** Writes lines of the log, by default as text to standard error. */
  toLog: Environment["log"] = log;

  /** Erases the progress and writes a line of the log. */
  readonly log: Environment["log"] = (level, message, cause) => {
    this.clear();
    this.toLog(level, message, cause);
  };
}
