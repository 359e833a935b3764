import { expect, test } from '@jest/globals';
import type { LogEntry } from '../../../../db/broadcast/log-read-model.ts';
import { createContentRoom } from '../../../../services/broadcast/content/content-room.ts';
import { createContentSource } from '../../../../services/broadcast/pump/content-source.ts';
import { prepareEntries } from '../../../../services/broadcast/pump/prepare-entries.ts';
import { broadcastEvent, openRules } from '../../../domain/broadcast/broadcast-event.ts';

const EVENTS = 60;

/**
 * Filters sixty generations, with filters that take so long for each. Returns how often other work of the process ran
 * meanwhile.
 */
async function otherWorkWhile(
  msAnEvent: number,
  filter: (
    entries: readonly LogEntry[],
    rules: Parameters<typeof prepareEntries>[1],
    now: () => number,
  ) => Promise<unknown>,
): Promise<number> {
  let nowMs = 0;
  let others = 0;
  let isOver = false;
  const workAtTheSide = (): void => {
    others += 1;
    if (!isOver) setImmediate(workAtTheSide);
  };
  const event = broadcastEvent({ content: null });
  const entries = Array.from({ length: EVENTS }, (_, n) => ({
    shard: 0,
    pos: BigInt(n + 1),
    movedAt: '2026-01-01 00:00:00+00',
    loggedAtMs: 0,
    event: { ...event, facts: { ...event.facts, hasContent: true } },
  }));
  const select = (): 'filter_rules' => {
    nowMs += msAnEvent;
    return 'filter_rules';
  };
  setImmediate(workAtTheSide);
  await filter(entries, { rules: { ...openRules(), filterRules: null }, select }, () => nowMs);
  isOver = true;
  return others;
}

const FILTERING = [
  ['a pump that makes spans', prepareEntries],
  [
    'a pump that looks for content',
    async (entries, spanRules, now) => {
      const store = { sizes: async () => new Map(), read: async () => new Map() };
      const encryption = { open: () => Buffer.alloc(0), seal: () => '' };
      const source = createContentSource({ store, encryption, room: createContentRoom(), now } as never);
      await source.load(entries, { spanRules } as never);
    },
  ],
] satisfies [string, Parameters<typeof otherWorkWhile>[1]][];

test.each(FILTERING)('%s lets other work go first after each slow event', async (_, filter) => {
  expect(await otherWorkWhile(11, filter)).toBeGreaterThanOrEqual(EVENTS - 1);
});

test.each(FILTERING)('%s makes no break while events take no time', async (_, filter) => {
  expect(await otherWorkWhile(0, filter)).toBe(0);
});
