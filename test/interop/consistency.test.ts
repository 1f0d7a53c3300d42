/** Own changes by way of four replicas; `long/consistency.test.ts` makes 1,000. */
import { testReadBack } from "./read_back.ts";

testReadBack(40);
