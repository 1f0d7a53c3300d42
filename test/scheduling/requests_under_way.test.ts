import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  MAX_GIVEN_WAY_MS,
  RequestsUnderWay,
  SENDING_MS,
  SHORT_REQUEST_MS,
} from "../../src/scheduling/requests_under_way.ts";
import { MAX_WAIT_MS } from "../../src/scheduling/slice_turns.ts";
import { SLICE_MS, TimeSlices } from "../../src/scheduling/time_slices.ts";

let nowMs = 0;
const now = () => nowMs;

/** A clock that goes on by a millisecond with each look at it. */
const ticking = () => nowMs++;

describe("requests under way", () => {
  it("are short until they have taken a while", () => {
    const requests = new RequestsUnderWay(now);
    assert.equal(requests.areShort, false);
    const end = requests.begin();
    nowMs += SHORT_REQUEST_MS - 1;
    assert.equal(requests.areShort, true);
    nowMs += 1;
    assert.equal(requests.areShort, false);
    const endSecond = requests.begin();
    assert.equal(requests.areShort, true);
    endSecond();
    end();
    assert.equal(requests.areShort, false);
  });

  it("are near until their answers are sent", () => {
    const requests = new RequestsUnderWay(now);
    assert.equal(requests.areNear, false);
    const end = requests.begin();
    assert.equal(requests.areNear, true);
    nowMs += SHORT_REQUEST_MS;
    assert.equal(requests.areNear, false);
    end();
    nowMs += SENDING_MS - 1;
    assert.equal(requests.areNear, true);
    nowMs += 1;
    assert.equal(requests.areNear, false);
  });

  it("hold up work in the background, but not for ever", async () => {
    const requests = new RequestsUnderWay(ticking);
    const end = requests.begin();
    const startMs = nowMs;
    await requests.yieldToShort();
    assert.ok(nowMs - startMs >= MAX_GIVEN_WAY_MS);
    end();
    const endedMs = nowMs;
    await requests.yieldToShort();
    assert.ok(nowMs - endedMs < MAX_GIVEN_WAY_MS);
  });

  it("hold up work that nobody waits for however long they take", async () => {
    const requests = new RequestsUnderWay(ticking);
    const end = requests.begin();
    nowMs += SHORT_REQUEST_MS;
    let hasGoneOn = false;
    const limitMs = 1_000_000;
    const waiting = requests.yieldToAll(limitMs).then(() => hasGoneOn = true);
    for (let turns = 0; turns < 3; turns++) await new Promise((resume) => setTimeout(resume, 2));
    assert.equal(hasGoneOn, false);
    end();
    await waiting;
    requests.begin();
    const startMs = nowMs;
    await requests.yieldToAll(2 * MAX_GIVEN_WAY_MS);
    assert.ok(nowMs - startMs >= 2 * MAX_GIVEN_WAY_MS);
  });
});

describe("time slices in the background", () => {
  it("begin when no short request is under way", async () => {
    const requests = new RequestsUnderWay(now);
    const slices = TimeSlices.inBackground(now, requests);
    const end = requests.begin();
    nowMs += SLICE_MS;
    let hasBegun = false;
    const slice = slices.next()!.then(() => hasBegun = true);
    for (let turns = 0; turns < 3; turns++) await new Promise((resume) => setTimeout(resume, 2));
    assert.equal(hasBegun, false);
    end();
    await slice;
  });

  it("begin beside short requests after a while", async () => {
    const requests = new RequestsUnderWay(ticking);
    const slices = TimeSlices.inBackground(ticking, requests);
    let end = requests.begin();
    nowMs += SLICE_MS;
    const startMs = nowMs;
    // One short request after the other.
    const timer = setInterval(() => {
      end();
      end = requests.begin();
    }, 1);
    await slices.next();
    clearInterval(timer);
    end();
    assert.ok(nowMs - startMs >= MAX_WAIT_MS);
  });
});
