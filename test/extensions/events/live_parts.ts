/** The parts of live changes that tests share: a node that is absent, and a clock that a test moves. */
import { createCore } from "../../../src/core.ts";
import type { LiveChangesOptions } from "../../../extensions/events/live_changes.ts";
import { createAbsentNode } from "../../../src/seeding/absent_node.ts";
import type { FakeTimers } from "../../support/fake_timers.ts";

/** All parts but the storage. */
export function liveParts({ now, startTimer }: FakeTimers): Omit<LiveChangesOptions, "storage"> {
  const { cobs, identities, graphs } = createCore({});
  return {
    node: createAbsentNode(),
    names: createAbsentNode(),
    cobs,
    identities,
    graphs,
    report: () => {},
    now,
    startTimer,
  };
}
