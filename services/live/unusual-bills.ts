/** Tells operators about unusual bills of pictures and speech, once a day for each endpoint. */
import { isFirstAlertToday } from '../../db/ledger/billing-alert-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { Amount } from '../../domain/amount.ts';
import {
  type LiveUnits,
  type UnitBasis,
  type UnitsFlag,
  unitsFlagOf,
  unitsOf,
} from '../../domain/catalog/live-units.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { createBillMetrics } from '../ledger/bill-metrics.ts';

/** A bill by units that is far from the catalog's estimate, or whose units the provider did not report. */
export interface UnusualBill {
  flag: UnitsFlag;
  reported: Amount | undefined;
  estimate: Amount;
}

/** The units that are billed, and whether the bill is unusual. */
export interface BilledUnits {
  billableUnits: number;
  unusual?: UnusualBill | undefined;
}

/** Returns the units of an answer: those that the provider reported, or else the documented number. */
export function billUnits(
  { usual, most }: LiveUnits,
  basis: UnitBasis,
  reported: Amount | undefined,
): BilledUnits {
  const estimate = unitsOf(usual ?? most, basis);
  const flag = unitsFlagOf(reported, estimate);
  return {
    billableUnits: Number(reported ?? estimate),
    unusual: flag === null ? undefined : { flag, reported, estimate },
  };
}

export interface UnusualBillsOptions {
  knex: Handle;
  logger: Pick<Logger, 'error' | 'warn'>;
  metrics: Metrics;
}

/** Creates the function that counts unusual bills and logs the first of an endpoint and day. It never fails. */
export function createUnusualBills({ knex, logger, metrics }: UnusualBillsOptions) {
  const count = createBillMetrics(metrics);
  return (endpointId: string, generationId: string, bill: UnusualBill): void => {
    count(bill.flag);
    isFirstAlertToday(knex, endpointId).then(
      (isFirst) => {
        if (!isFirst) return;
        logger.error(
          { endpointId, generationId, ...bill },
          'the provider billed a request far from the catalog: check the endpoint (alerted once a day for each endpoint)',
        );
      },
      (error: unknown) => logger.warn({ err: error, endpointId }, 'an unusual bill was not reported'),
    );
  };
}

export type NoteUnusualBill = ReturnType<typeof createUnusualBills>;
