/** Ends a live generation: writes its ledger row, releases its reservation, and queues its prompt and answer. */
import type { Reservation } from '../ledger/spending/spending.ts';
import { createBroadcastFacts } from './broadcast-facts.ts';
import { type Ending, type OpenGeneration, toRecord } from './generation.ts';
import type { LiveDeps } from './live-deps.ts';

type SettleDeps = Pick<LiveDeps, 'ledger' | 'bodies' | 'showError' | 'noteFlaggedBill'>;

/**
 * Writes the generation and then releases the reservation, so that the price stays reserved while the row is being
 * written. After the row is stored, queues prompt and answer for the log and for destinations.
 */
export async function settleGeneration(
  { ledger, bodies, showError, noteFlaggedBill }: SettleDeps,
  open: OpenGeneration,
  reservation: Reservation,
  ending: Ending,
): Promise<void> {
  try {
    const record = toRecord(open, ending);
    await ledger.record(
      open.isBroadcast ? { ...record, broadcast: createBroadcastFacts(open, ending, showError) } : record,
    );
    keepBodies({ bodies, showError }, open, ending, record.settledAt);
    noteFlaggedBill(open, ending);
  } finally {
    const { costNanos, target } = ending;
    reservation.settle(
      target.own === undefined ? { usage: costNanos, byok: 0n } : { usage: 0n, byok: costNanos },
    );
  }
}

function keepBodies(
  { bodies, showError }: Pick<LiveDeps, 'bodies' | 'showError'>,
  { id, draft, call, isLogged, isContentBroadcast }: OpenGeneration,
  { responses, finishReason }: Ending,
  settledAt: Date,
): void {
  if (draft === null) return;
  const { organizationId, workspaceId } = call.principal;
  if (isLogged) {
    bodies.keep({ id, organizationId, workspaceId }, () => draft.finish(responses, showError));
  }
  if (isContentBroadcast) bodies.keepContent({ id, settledAt }, () => draft.content(finishReason));
}
