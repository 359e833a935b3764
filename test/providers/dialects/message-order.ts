import { expect } from '@jest/globals';
import type { DialectEvent } from '../../../providers/dialect-adapter.ts';

/** Every block is begun, said and ended before the next, and the message is around them all. */
export function expectOrder(events: DialectEvent[]): void {
  let open: unknown;
  let next = 0;
  const isInOrder = events.slice(1, -1).every(({ type, index }) => {
    if (type === 'content_block_start') {
      const isNext = open === undefined && index === next;
      open = index;
      next += 1;
      return isNext;
    }
    const isOfOpen = index === open;
    if (type === 'content_block_stop') open = undefined;
    return isOfOpen;
  });
  expect([events[0]?.type, events.at(-1)?.type, isInOrder, open]).toEqual([
    'message_start',
    'message_delta',
    true,
    undefined,
  ]);
}
