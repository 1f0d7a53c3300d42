/**
 * Runs long work in steps. Each step is a separate task of the event loop, so that the tab can react to the
 * visitor between two steps.
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

/** Runs a step after the steps that are already waiting. The returned function cancels the step. */
export function whenFree(step: () => void): () => void {
  if (waiting.size === 0) channel.port2.postMessage(null);
  waiting.add(step);
  return () => void waiting.delete(step);
}
