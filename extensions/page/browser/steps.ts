/**
 * Long work in steps: of all that waits, one step runs in a task of its own, so that the tab can answer its
 * visitor in between.
 */
const waiting = new Set<() => void>();
const channel = new MessageChannel();
channel.port1.onmessage = () => {
  const [step] = waiting;
  if (step === undefined) return;
  waiting.delete(step);
  if (waiting.size > 0) channel.port2.postMessage(null);
  step();
};

/** Runs a step when it is its turn; the result takes it back. */
export function whenFree(step: () => void): () => void {
  if (waiting.size === 0) channel.port2.postMessage(null);
  waiting.add(step);
  return () => void waiting.delete(step);
}
