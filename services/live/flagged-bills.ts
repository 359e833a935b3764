/** Tells operators about bills of live requests that may differ from the provider's. */
import { isFirstAlertToday } from '../../db/ledger/billing-alert-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { type BillReason, createBillMetrics } from '../ledger/bill-metrics.ts';
import type { Ending, OpenGeneration } from './generation.ts';

export interface FlaggedBillsOptions {
  knex: Handle;
  logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  metrics: Metrics;
}

/** Tells operators about the bill of a generation, if it is flagged. Neither waits nor throws. */
export type NoteFlaggedBill = (open: Pick<OpenGeneration, 'id'>, ending: BilledEnding) => void;

/** The parts of an ending that say whether its bill is flagged. */
export type BilledEnding = Pick<
  Ending,
  'target' | 'status' | 'bill' | 'unusual' | 'costNanos' | 'serviceTier'
>;

/**
 * Creates the function that counts and logs each flagged bill. The first one of an endpoint and day is logged as an
 * error, if the catalog has to be corrected. An estimate is no such case: some servers never count.
 */
export function createFlaggedBills({ knex, logger, metrics }: FlaggedBillsOptions): NoteFlaggedBill {
  const count = createBillMetrics(metrics);
  return ({ id: generationId }, ending) => {
    const reasons = reasonsOf(ending);
    if (reasons.length === 0) return;
    for (const reason of reasons) count(reason);
    const { target, costNanos, serviceTier, unusual } = ending;
    const { id: endpointId } = target.endpoint;
    const { reported, estimate } = unusual ?? {};
    const tier = reasons.includes('unpriced_tier') ? serviceTier : undefined;
    const facts = { endpointId, generationId, reasons, reported, estimate, tier, costNanos: `${costNanos}` };
    logger.info(facts, 'a bill is flagged');
    if (reasons.every((reason) => reason === 'estimated')) return;
    isFirstAlertToday(knex, endpointId).then(
      (isFirst) => {
        if (!isFirst) return;
        logger.error(
          facts,
          'a bill may differ from that of the provider: check the endpoint (alerted once a day for each endpoint)',
        );
      },
      (error: unknown) => logger.warn({ err: error, endpointId }, 'an unusual bill was not reported'),
    );
  };
}

const NONE: readonly BillReason[] = [];

/**
 * Returns the reasons to look at a bill. Estimates count only for complete answers: a stream that broke, or whose
 * caller left, has no counts.
 */
function reasonsOf({ status, bill, unusual }: BilledEnding): readonly BillReason[] {
  const flags = bill?.flags;
  if (flags === undefined) return NONE;
  const isMissing = status === 'completed' && unusual?.flag !== 'not_reported';
  const others = flags.filter((flag) => flag === 'unpriced_tier' || (flag === 'estimated' && isMissing));
  return unusual === undefined ? others : [unusual.flag, ...others];
}
