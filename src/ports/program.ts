/** Runs programs of the host's operating system as child processes without a shell. */

/** A command: the program, its arguments, and its environment. */
export interface ProgramCommand {
  /** Name of the program, which the host finds by its search path. */
  readonly program: string;
  readonly args: readonly string[];
  /**
   * Environment variables of the process in addition to the search path. The process inherits no other
   * variables.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** Bytes that are written to the standard input, which is then closed. */
  readonly input: Uint8Array<ArrayBuffer>;
}

/** How a program has ended. */
export interface ProgramEnd {
  /** Exit status; `undefined` when a signal has ended the program. */
  readonly status: number | undefined;
  /**
   * First characters of the standard error, at most {@link MAX_ERROR_CHARACTERS}. The text is only for the
   * log.
   */
  readonly errors: string;
}

/** A running program. */
export interface RunningProgram {
  /**
   * The standard output. While nobody reads the stream, the program waits, so that at most a full pipe and
   * one chunk are in memory. Cancelling the stream kills the program.
   */
  readonly output: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Resolves when the program has ended, whether or not its output was read. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** Ends the program, and the programs that it has started, within seconds. May be called at any time. */
  kill(): void;
}

/** Maximum length of the standard error text in {@link ProgramEnd}, in characters. */
export const MAX_ERROR_CHARACTERS = 2000;

/**
 * Starts a program with a low priority, so that the service stays responsive.
 *
 * @throws {UnsupportedError} when the program does not exist, or the host permits no programs.
 */
export type StartProgram = (command: ProgramCommand) => Promise<RunningProgram>;
