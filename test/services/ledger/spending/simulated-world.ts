import type { Principal } from '../../../../domain/principal.ts';
import { countedUnder, periodStart, type Spend, utcDay } from '../../../../domain/ledger/spending-limit.ts';
import type { Ceiling } from '../../../../domain/ceiling.ts';
import { createSpending } from '../../../../services/ledger/spending/create-spending.ts';
import type { Reservation } from '../../../../services/ledger/spending/spending.ts';
import { withSingleEstimates } from './spending-setup.ts';
import { createHeldReads, createSimulatedPostgres, type OpenRead, type Row } from './simulated-counters.ts';

export const LIMIT = 100n;
/** Saturday: a few days cross two midnights, a Monday and no end of a month. */
const BEGIN_MS = Date.parse('2026-01-03T12:00:00Z');
const PLACE = { organizationId: 'organization-1', workspaceId: 'workspace-1' };

/** A request: reserved, then perhaps committed to the ledger, then settled. */
export interface Request {
  keyId: number;
  reservation: Reservation;
  estimate: Spend;
  spent: Spend;
  row: Row | undefined;
}

/** Two replicas on one database, and what a test must know of them to judge what they let in. */
export function createWorld(ceilings: Ceiling[]) {
  const clock = { nowMs: BEGIN_MS };
  const postgres = createSimulatedPostgres();
  postgres.addCredit(LIMIT);
  return {
    clock,
    postgres,
    ceilings,
    replicas: [createReplica(clock, postgres), createReplica(clock, postgres)] as const,
    violations: [] as string[],
    granted: 0,
    principal: (keyId: number): Principal => ({
      keyId,
      keyHash: `${keyId}`.padStart(64, '0'),
      kind: 'regular',
      label: 'a key',
      ...PLACE,
      ceilings,
    }),
    row: (keyId: number, amount: Spend): Row => ({
      key: keyId,
      organization: PLACE.organizationId,
      workspace: PLACE.workspaceId,
      ...amount,
      day: utcDay(clock.nowMs),
    }),
  };
}

export type World = ReturnType<typeof createWorld>;
export type Replica = World['replicas'][number];

function createReplica(clock: { nowMs: number }, postgres: ReturnType<typeof createSimulatedPostgres>) {
  const held = createHeldReads(postgres);
  return {
    held,
    spending: withSingleEstimates(
      createSpending({
        counters: held.counters,
        isLedgerBehind: () => false,
        creditsUrl: 'https://pay.example',
        waitMs: 10_000,
        refreshMs: 2_000_000_000,
        logger: { warn: () => {}, info: () => {} },
        now: () => clock.nowMs,
      }),
    ),
    inFlight: [] as Request[],
    /** Rows of requests that were settled here. */
    own: [] as Row[],
    /** By payer and period: all rows that were committed when the last read of it had its snapshot. */
    seen: new Map<string, Row[]>(),
  };
}

const snapshots = new WeakMap<OpenRead, Row[]>();

/** The statement under way sees what is committed now, and nothing that comes later. */
export function snapshot({ postgres }: World, { held }: Replica): void {
  const [read] = held.open;
  if (read === undefined || read.answers !== undefined) return;
  snapshots.set(read, [...postgres.rows]);
  held.snapshot();
}

export function deliver(world: World, at: Replica): void {
  const [read] = at.held.open;
  if (read === undefined) return;
  snapshot(world, at);
  for (const { id, sinceDay } of read.queries) {
    at.seen.set(`${id} since ${sinceDay}`, snapshots.get(read) ?? []);
  }
  at.held.deliver();
}

function limitOf({ limit }: Ceiling): bigint {
  return limit === 'credit' ? LIMIT : limit;
}

/** What of these rows counts under the ceiling for the key, in the period of now. */
function counted({ clock }: World, ceiling: Ceiling, keyId: number, rows: Row[]): bigint {
  const since = periodStart(ceiling.interval, utcDay(clock.nowMs));
  const mine = rows.filter(
    (row) => (ceiling.payer !== 'key' || row.key === keyId) && (since === null || row.day >= since),
  );
  return mine.reduce((sum, row) => sum + countedUnder(ceiling, row), 0n);
}

/**
 * The bound: a request is let in only if it fits beside all that this replica has in flight and has ever settled, and
 * all that was committed anywhere when its last read had its snapshot. So what passes a limit is what other replicas
 * had in flight or committed since then, and what cost more than its estimate.
 */
export function judgeGrant(world: World, at: Replica, keyId: number, estimate: Spend): void {
  world.granted += 1;
  for (const ceiling of world.ceilings) {
    if (countedUnder(ceiling, estimate) === 0n) continue;
    const ids = { key: keyId, organization: PLACE.organizationId, workspace: PLACE.workspaceId };
    const since = periodStart(ceiling.interval, utcDay(world.clock.nowMs));
    const seen = at.seen.get(`${ids[ceiling.payer]} since ${since}`) ?? [];
    const known = [...seen, ...at.own.filter((row) => !seen.includes(row))];
    const inFlight = at.inFlight.filter((request) => ceiling.payer !== 'key' || request.keyId === keyId);
    const held = inFlight.reduce((sum, request) => sum + countedUnder(ceiling, request.estimate), 0n);
    const used = counted(world, ceiling, keyId, known) + held + countedUnder(ceiling, estimate);
    if (used > limitOf(ceiling)) world.violations.push(`${ceiling.payer} ${ceiling.interval}: ${used}`);
  }
}

/** What the tightest ceiling leaves, by what is committed and what jobs hold. */
export function trulyLeft(world: World, keyId: number): bigint {
  const lefts = world.ceilings.map((ceiling) => {
    const jobs = world.postgres.jobs.filter((job) => ceiling.payer !== 'key' || job.key === keyId);
    const held = jobs.reduce((sum, job) => sum + countedUnder(ceiling, job), 0n);
    return limitOf(ceiling) - counted(world, ceiling, keyId, world.postgres.rows) - held;
  });
  const least = lefts.reduce((a, b) => (a < b ? a : b));
  return least > 0n ? least : 0n;
}
