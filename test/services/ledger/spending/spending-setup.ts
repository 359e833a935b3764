import type { Principal } from '../../../../domain/principal.ts';
import type { Spend } from '../../../../domain/ledger/spending-limit.ts';
import type { Ceiling } from '../../../../domain/ceiling.ts';
import { AppError } from '../../../../domain/errors.ts';
import { createSpending, type LiveSpending } from '../../../../services/ledger/spending/create-spending.ts';
import type { Estimate, Reservation } from '../../../../services/ledger/spending/spending.ts';
import type { Window } from '../../../../services/ledger/spending/payer.ts';
import { createHeldReads, createSimulatedPostgres, type Row } from './simulated-counters.ts';

const PLACE = { organizationId: 'organization-1', workspaceId: 'workspace-1' };
const SUNDAY_NIGHT = Date.parse('2026-01-04T23:59:59Z');

/** Three ways to be limited to a hundred nanodollars, or to what was bought. */
export const KEY: Ceiling = { payer: 'key', interval: 'lifetime', limit: 100n, includeByok: false };
export const CREDIT: Ceiling = {
  payer: 'organization',
  interval: 'lifetime',
  limit: 'credit',
  includeByok: false,
};
export const BUDGET: Ceiling = { payer: 'workspace', interval: 'daily', limit: 100n, includeByok: false };

export function keyUnder(ceilings: Ceiling[] | undefined, keyId = 1): Principal {
  return {
    keyId,
    keyHash: `${keyId}`.padStart(64, '0'),
    kind: 'regular',
    label: 'a key',
    ...PLACE,
    ...(ceilings && { ceilings }),
  };
}

export const paid = (usage: bigint): Spend => ({ usage, byok: 0n });
export const byok = (amount: bigint): Spend => ({ usage: 0n, byok: amount });

/** Spending whose requests have one estimate each. */
export type SingleSpending = Omit<LiveSpending, 'reserve'> & {
  reserve(principal: Principal, estimate: Estimate, gone?: AbortSignal): Promise<Reservation>;
};

export function withSingleEstimates(spending: LiveSpending): SingleSpending {
  return {
    ...spending,
    async reserve(principal, estimate, gone) {
      const [only] = await spending.reserve(principal, [estimate], gone);
      if (only === undefined || only instanceof AppError) throw only ?? new Error('nothing was reserved');
      return only;
    },
  };
}

/** One process, whose reads are answered at once unless they are held. */
export function setUp({ holdReads = false } = {}) {
  const control = { nowMs: SUNDAY_NIGHT, isLedgerBehind: false, warnings: 0 };
  const postgres = createSimulatedPostgres();
  const held = createHeldReads(postgres);
  let reads = 0;
  const counters = holdReads
    ? held.counters
    : {
        read: async (...[queries]: Parameters<typeof held.counters.read>) => {
          reads += 1;
          return postgres.answer(queries);
        },
      };
  const refreshed: Window[] = [];
  const waits: string[] = [];
  const spending = createSpending({
    counters,
    onRefreshed: (windows) => refreshed.splice(0, refreshed.length, ...windows),
    isLedgerBehind: () => control.isLedgerBehind,
    creditsUrl: 'https://pay.example',
    waitMs: 10_000,
    waits: (end) => waits.push(end),
    // The tests refresh themselves.
    refreshMs: 2_000_000_000,
    logger: { warn: () => (control.warnings += 1), info: () => {} },
    now: () => control.nowMs,
  });
  const commit = (amount: Spend, keyId = 1): void => {
    const { organizationId: organization, workspaceId: workspace } = PLACE;
    const row: Row = {
      key: keyId,
      organization,
      workspace,
      ...amount,
      day: Math.floor(control.nowMs / 86_400_000),
    };
    postgres.rows.push(row);
  };
  return {
    control,
    postgres,
    held,
    spending: withSingleEstimates(spending),
    reserveParts: spending.reserve,
    waits,
    commit,
    refreshed,
    reads: () => reads,
  };
}

export const REFUSED = { code: 'key_limit_exceeded' };
