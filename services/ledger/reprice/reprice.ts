/** Computes what past generations would cost by today's prices, and whether their bills can be reproduced. */
import { createPriceVersionReadModel } from '../../../db/catalog/price-version-read-model.ts';
import {
  type BilledGeneration,
  type BilledRange,
  createBillReadModel,
} from '../../../db/ledger/bill-read-model.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { BillFlag } from '../../../domain/ledger/bill.ts';
import type { Nanos } from '../../../domain/money.ts';
import { costOfBill, hasUnitsOf } from './cost-of-bill.ts';
import { pricesByVersion } from './version-prices.ts';

/** The generations of a model, either with the customers' own credentials or with the operator's. */
export interface ModelCost {
  model: string;
  isByok: boolean;
  requests: number;
  billed: Nanos;
  today: Nanos;
}

/** Reasons why a generation cannot be repriced. */
export const REASONS = {
  unkept: 'recorded by a version that did not keep bills',
  unversioned: 'accepted by a version that did not keep prices',
  reported: 'a cancelled video, which costs what its provider charged',
  gone: 'its endpoint is gone or off, and has no prices today',
  otherUnits: 'its endpoint charges for other units today, which nobody counted then',
} as const;
export type Reason = keyof typeof REASONS;

export interface Count {
  requests: number;
  billed: Nanos;
}

/** The bills with a flag of a model at a provider. */
export interface FlaggedBills extends Count {
  flag: BillFlag;
  provider: string;
  model: string;
}

/** A generation whose kept bill gives another cost than its row. */
export interface DifferingBill {
  id: string;
  billed: Nanos;
  recomputed: Nanos;
}

export interface Repricing {
  /** The models, sorted by their names. */
  models: ModelCost[];
  left: Map<Reason, Count>;
  /** The flagged bills, sorted by flag, provider and model. */
  flagged: FlaggedBills[];
  /** The number of bills that were computed again by the prices that they name. */
  recomputed: number;
  differing: number;
  /** The first of them. */
  differences: DifferingBill[];
}

const SHOWN = 20;

/**
 * Reprices the generations of a range. It only reads. `onPage` is called after each page with the number of generations
 * so far and the time of the last one.
 */
export async function reprice(
  handle: Handle,
  range: BilledRange,
  onPage: (generations: number, at: Date) => void,
): Promise<Repricing> {
  const versions = await createPriceVersionReadModel(handle).list();
  const tally = createTally(pricesByVersion(versions, Date.now()));
  let generations = 0;
  for await (const rows of createBillReadModel(handle).pages(range)) {
    for (const row of rows) tally.add(row);
    generations += rows.length;
    onPage(generations, rows.at(-1)!.createdAt);
  }
  return tally.result();
}

function createTally(pricesOf: ReturnType<typeof pricesByVersion>) {
  const models = new Map<string, ModelCost>();
  const left = new Map<Reason, Count>();
  const flagged = new Map<string, FlaggedBills>();
  const differences: DifferingBill[] = [];
  let [recomputed, differing] = [0, 0];

  const addToModel = ({ model, isByok }: BilledGeneration, billed: Nanos, today: Nanos): void => {
    const key = `${model} ${isByok}`;
    const sum = models.get(key) ?? { model, isByok, requests: 0, billed: 0n, today: 0n };
    sum.requests += 1;
    sum.billed += billed;
    sum.today += today;
    models.set(key, sum);
  };

  const addFlagged = ({ provider, model }: BilledGeneration, flag: BillFlag, billed: Nanos): void => {
    const key = `${flag} ${provider} ${model}`;
    const { requests, billed: sum } = flagged.get(key) ?? { requests: 0, billed: 0n };
    flagged.set(key, { flag, provider, model, requests: requests + 1, billed: sum + billed });
  };

  const compare = ({ id }: BilledGeneration, billed: Nanos, again: Nanos): void => {
    recomputed += 1;
    if (again === billed) return;
    differing += 1;
    if (differences.length < SHOWN) differences.push({ id, billed, recomputed: again });
  };

  /** Adds a cancelled video whose cost no price decides. One that cost nothing costs nothing today. */
  const addCharged = (row: BilledGeneration, billed: Nanos, charged: Nanos): void => {
    compare(row, billed, charged);
    if (charged === 0n) addToModel(row, billed, 0n);
    else count(left, 'reported', billed);
  };

  return {
    add(row: BilledGeneration): void {
      const billed = BigInt(row.costNanos);
      const { bill } = row;
      if (bill === null) {
        if (isUnused(row)) addToModel(row, 0n, 0n);
        else count(left, isCancelledVideo(row) ? 'reported' : 'unkept', billed);
        return;
      }
      for (const flag of bill.flags ?? []) addFlagged(row, flag, billed);
      const charged = 'video' in bill ? bill.video.charged : undefined;
      if (charged !== undefined) return addCharged(row, billed, BigInt(charged));
      const prices = pricesOf(bill);
      if (prices === undefined) return count(left, 'unversioned', billed);
      compare(row, billed, costOfBill(bill, prices.kept));
      if (prices.today === undefined) return count(left, 'gone', billed);
      if (!hasUnitsOf(bill, prices.today)) return count(left, 'otherUnits', billed);
      addToModel(row, billed, costOfBill(bill, prices.today));
    },
    result: (): Repricing => ({
      models: sorted(models),
      left,
      flagged: sorted(flagged),
      recomputed,
      differing,
      differences,
    }),
  };
}

function sorted<Value>(sums: Map<string, Value>): Value[] {
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** Returns whether a request failed or was cancelled before anything was used. Such a request costs nothing ever. */
function isUnused({ status, costNanos, tokensPrompt }: BilledGeneration): boolean {
  return status !== 'completed' && BigInt(costNanos) === 0n && tokensPrompt === null;
}

function isCancelledVideo({ apiType, status }: BilledGeneration): boolean {
  return apiType === 'video' && status === 'cancelled';
}

function count<Name>(counts: Map<Name, Count>, name: Name, billed: Nanos): void {
  const sum = counts.get(name) ?? { requests: 0, billed: 0n };
  counts.set(name, { requests: sum.requests + 1, billed: sum.billed + billed });
}
