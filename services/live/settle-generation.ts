/** Ends a live generation: writes its ledger row, releases its reservation, and queues its prompt and answer. */
import type { TokenUsage } from '../../domain/token-usage.ts';
import { costOfTokens, type TokenCost } from '../../domain/catalog/token-price.ts';
import type { Reservation } from '../ledger/spending/spending.ts';
import { createBroadcastFacts } from './broadcast-facts.ts';
import { type Ending, type OpenGeneration, toRecord } from './generation.ts';
import type { LiveDeps } from './live-deps.ts';

const NOTHING: TokenCost = { promptNanos: 0n, completionNanos: 0n, totalNanos: 0n };

/** Returns the price of the usage; zero when no usage is known. */
export function priceOf(
  { target, usage }: { target: Ending['target']; usage: TokenUsage | null },
  images: number,
): TokenCost {
  return usage === null ? NOTHING : costOfTokens(target.endpoint.pricing, usage, images);
}

/**
 * Writes the generation and then releases the reservation, so that the price stays reserved while the row is being
 * written. After the row is stored, queues prompt and answer for the log and for destinations.
 */
export async function settleGeneration(
  { ledger, bodies, showError }: Pick<LiveDeps, 'ledger' | 'bodies' | 'showError'>,
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
