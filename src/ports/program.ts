/** Programs of the host's operating system, run as child processes without a shell. */

/** A command: the program, its arguments, and its whole environment. */
export interface ProgramCommand {
  /** Name of the program, looked up in the host's search path. */
  readonly program: string;
  readonly args: readonly string[];
  /** Variables of the process beside the search path; it inherits none. */
  readonly environment: Readonly<Record<string, string>>;
  /** Bytes for the standard input, which then ends. */
  readonly input: Uint8Array<ArrayBuffer>;
}

/** End of a program. */
export interface ProgramEnd {
  /** Exit status; `undefined` when a signal ended the program. */
  readonly status: number | undefined;
  /** Start of the standard error, at most {@link MAX_ERROR_CHARACTERS}; for the log alone. */
  readonly errors: string;
}

/** A running program. */
export interface RunningProgram {
  /**
   * The standard output. The program waits while nobody reads: no more than a pipe and a chunk are in memory.
   * Cancelling the stream kills the program.
   */
  readonly output: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Resolves when the program has ended, whether or not its output was read. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** Ends the program, and the programs that it has started, within seconds. May be called at any time. */
  kill(): void;
}

/** Most characters of the standard error in {@link ProgramEnd}. */
export const MAX_ERROR_CHARACTERS = 2000;

/**
 * Starts a program with a low priority, so that the service stays responsive.
 *
 * @throws {UnsupportedError} when there is no such program, or the host permits none.
 */
export type StartProgram = (command: ProgramCommand) => Promise<RunningProgram>;
