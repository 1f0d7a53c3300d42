/**
 * Runs long work in steps. Each step is a separate task, so that the tab can react to the visitor in between.
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

/** Runs a step after the steps that already wait. The returned function cancels it. */
export function whenFree(step: () => void): () => void {
  if (waiting.size === 0) channel.port2.postMessage(null);
  waiting.add(step);
  return () => void waiting.delete(step);
}
