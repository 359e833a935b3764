import type { BroadcastRules } from '../../../domain/broadcast/destination.ts';
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { createSelector } from '../selector.ts';
import { spanIdsOf } from '../span-ids.ts';

/**
 * Returns whether a destination needs the prompt and the answer of a generation, which `event` does not have yet: it
 * sends them, or its filters cannot decide without them. In privacy mode, filters read them too, but nothing of them is
 * sent.
 */
export function needsContent(
  event: BroadcastEvent,
  { privacyMode }: Pick<BroadcastRules, 'privacyMode'>,
  select: ReturnType<typeof createSelector>,
): boolean {
  const selection = select(event, spanIdsOf(event));
  return selection === 'undecided' || (selection === 'sent' && !privacyMode);
}
