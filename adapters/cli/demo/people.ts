/** The people of the demo. */
import type { Author } from "./history.ts";

/** The owner of the home, who goes by the home's alias. */
export const ALICE: Author = { name: "Alice Arbor", email: "alice@example.org", zone: "+0200" };
/** A contributor from another time zone. */
export const BOB: Author = { name: "Bob Branch", email: "bob@example.org", zone: "-0400" };
/** A contributor whose name is not ASCII. */
export const ZOE: Author = { name: "Zoë Wurzel", email: "zoe@example.org", zone: "+0200" };
