/**
 * Shows the progress of long work. On a terminal, the progress is one line that is replaced repeatedly.
 * Without a terminal, a new line is written at intervals.
 */
import process from "node:process";
import type { Environment } from "../../mod.ts";
import { log } from "../node/log.ts";

/**
 * Minimum time for which a line is shown, in milliseconds. Writing to a terminal more often would take longer
 * than the work itself.
 */
export const LINE_MS = 100;
/** Default interval between two lines when there is no terminal, in milliseconds. */
export const UNATTENDED_LINE_MS = 5000;
/** Number of columns that is assumed when the width of a terminal is unknown. */
const USUAL_COLUMNS = 80;
/** Control sequence that returns to the start of the line and erases it (ECMA-48: CR, EL). */
const ERASE = "\r\x1b[K";

/** The members of a terminal's stream that are used here. */
export interface Terminal {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** Shows the progress of a command. Without a terminal, {@link Progress.show} shows nothing. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  readonly #unattendedMs: number;
  #shownMs = -Infinity;
  #isShown = false;
  /** Time of the last line that was written without a terminal, or of the start of the current work. */
  #reportedMs: number | undefined;

  /**
   * @param now Returns the time of a monotonic clock, in milliseconds.
   * @param unattendedMs Interval between two lines when there is no terminal, in milliseconds.
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
   * Shows a line on a terminal, unless the previous line has been shown for less than {@link LINE_MS}.
   * `undefined` means that the work has ended, and erases the line.
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
   * Shows a line on a terminal, as {@link show} does. Without a terminal, writes the line if the last line
   * was written long enough ago. `undefined` means that the work has ended.
   */
  readonly report = (line: string | undefined): void => {
    if (this.#terminal.isTTY === true) return this.show(line);
    const now = this.#now();
    this.#reportedMs = line === undefined ? undefined : this.#reportedMs ?? now;
    if (line === undefined || now - this.#reportedMs! < this.#unattendedMs) return;
    this.#reportedMs = now;
    this.#terminal.write(`${line.trim()}\n`);
  };

  /** Erases the shown line, so that other text can be written at its position. */
  clear(): void {
    if (!this.#isShown) return;
    this.#terminal.write(ERASE);
    this.#isShown = false;
    this.#shownMs = -Infinity;
  }

  /**
   * Called by {@link log} to write a line to the log. By default, the line is written as text to standard
   * error.
   */
  toLog: Environment["log"] = log;

  /** Erases the shown line, and writes a line to the log. */
  readonly log: Environment["log"] = (level, message, cause) => {
    this.clear();
    this.toLog(level, message, cause);
  };
}
