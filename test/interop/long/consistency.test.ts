/** 1,000 own changes by way of four replicas behind haproxy and nginx. */
import { testReadBack } from "../read_back.ts";

testReadBack(1_000);
