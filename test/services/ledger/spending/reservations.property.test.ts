import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { utcDay } from '../../../../domain/ledger/spending-limit.ts';
import type { Ceiling } from '../../../../domain/ceiling.ts';
import type { Estimate } from '../../../../services/ledger/spending/spending.ts';
import { settled } from './simulated-counters.ts';
import {
  createWorld,
  deliver,
  judgeGrant,
  LIMIT,
  type Replica,
  snapshot,
  trulyLeft,
  type World,
} from './simulated-world.ts';

const NOTHING = { usage: 0n, byok: 0n };
const ONE = { usage: 1n, byok: 0n };

/** Two keys share the workspace and the organization. */
const CEILINGS: Ceiling[][] = [
  [{ payer: 'key', interval: 'lifetime', limit: LIMIT, includeByok: false }],
  [{ payer: 'key', interval: 'weekly', limit: LIMIT, includeByok: true }],
  [{ payer: 'organization', interval: 'lifetime', limit: 'credit', includeByok: false }],
  [
    { payer: 'workspace', interval: 'daily', limit: LIMIT, includeByok: false },
    { payer: 'workspace', interval: 'monthly', limit: 3n * LIMIT, includeByok: false },
  ],
];

type Step =
  | {
      kind: 'reserve';
      replica: number;
      keyId: number;
      amount: number;
      /** How much more than a least output it would like; null where the output has no most. */
      longer: number | null;
      isByok: boolean;
      ratio: number;
    }
  | { kind: 'commit' | 'settle' | 'abandon'; replica: number; pick: number }
  | { kind: 'refresh' | 'snapshot' | 'deliver' | 'fail'; replica: number }
  | { kind: 'acceptJob'; amount: number }
  | { kind: 'endJob'; isCompleted: boolean }
  | { kind: 'wait'; hours: number };

const replica = fc.nat({ max: 1 });
const pick = fc.nat({ max: 7 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('reserve' as const),
        replica,
        keyId: fc.integer({ min: 1, max: 2 }),
        amount: fc.integer({ min: 1, max: 60 }),
        longer: fc.option(fc.nat({ max: 60 })),
        isByok: fc.boolean(),
        ratio: fc.constantFrom(0, 0.5, 1, 1.5),
      }),
    },
    {
      weight: 7,
      arbitrary: fc.record({
        kind: fc.constantFrom('commit' as const, 'commit' as const, 'settle' as const, 'abandon' as const),
        replica,
        pick,
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constantFrom('refresh' as const, 'snapshot' as const, 'deliver' as const),
        replica,
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), replica }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('acceptJob' as const),
        amount: fc.integer({ min: 1, max: 30 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('endJob' as const), isCompleted: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(1, 12, 24) }),
    },
  ),
  { minLength: 20, maxLength: 120, size: 'max' },
);

async function reserve(world: World, step: Extract<Step, { kind: 'reserve' }>): Promise<void> {
  const at = world.replicas[step.replica]!;
  const amount = BigInt(step.amount);
  const principal = world.principal(step.keyId);
  void at.spending.reserve(principal, estimateOf(step, amount)).then(
    (reservation) => {
      const estimate = { usage: reservation.held, byok: step.isByok ? amount : 0n };
      const scale = (nanos: bigint): bigint => (nanos * BigInt(step.ratio * 2)) / 2n;
      const spent = { usage: scale(estimate.usage), byok: scale(estimate.byok) };
      judgeGrant(world, at, step.keyId, estimate);
      at.inFlight.push({ keyId: step.keyId, reservation, estimate, spent, row: undefined });
    },
    () => {},
  );
  await settled();
}

function estimateOf({ isByok, longer }: Extract<Step, { kind: 'reserve' }>, amount: bigint): Estimate {
  if (isByok) return { usage: 0n, byok: amount };
  const most = longer === null ? null : amount + BigInt(longer);
  return { usage: 1n, byok: 0n, output: { least: amount, most, tokensFor: Number } };
}

async function take(world: World, step: Step): Promise<void> {
  switch (step.kind) {
    case 'reserve':
      return reserve(world, step);
    case 'commit': {
      const request = pickFrom(world.replicas[step.replica]!.inFlight, step.pick);
      if (request === undefined || request.row !== undefined) return;
      request.row = world.row(request.keyId, request.spent);
      world.postgres.rows.push(request.row);
      return;
    }
    case 'settle':
    case 'abandon':
      return end(world.replicas[step.replica]!, step.pick, step.kind === 'abandon');
    case 'refresh':
      void world.replicas[step.replica]!.spending.refresh();
      return settled();
    case 'snapshot':
      return snapshot(world, world.replicas[step.replica]!);
    case 'deliver':
      deliver(world, world.replicas[step.replica]!);
      return settled();
    case 'fail':
      world.replicas[step.replica]!.held.fail();
      return settled();
    case 'acceptJob':
      world.postgres.jobs.push(world.row(1, { usage: BigInt(step.amount), byok: 0n }));
      return;
    case 'endJob': {
      const job = world.postgres.jobs.pop();
      if (job !== undefined && step.isCompleted) {
        world.postgres.rows.push({ ...job, day: utcDay(world.clock.nowMs) });
      }
      return;
    }
    case 'wait':
      world.clock.nowMs += step.hours * 3_600_000;
      return;
  }
}

/** A request is settled with its cost once the ledger has it, and with nothing if it never will. */
function end(at: Replica, index: number, isAbandoned: boolean): void {
  const request = pickFrom(at.inFlight, index);
  if (request === undefined || isAbandoned === (request.row !== undefined)) return;
  at.inFlight.splice(at.inFlight.indexOf(request), 1);
  request.reservation.settle(request.row === undefined ? NOTHING : request.spent);
  request.reservation.settle(request.spent);
  if (request.row !== undefined) at.own.push(request.row);
}

function pickFrom<T>(list: T[], index: number): T | undefined {
  return list.length === 0 ? undefined : list[index % list.length];
}

/** Everything ends, all reads are delivered, and each replica reads once more. */
async function comeToRest(world: World): Promise<void> {
  const deliverAll = async (at: Replica): Promise<void> => {
    await settled();
    while (at.held.open.length > 0) {
      deliver(world, at);
      await settled();
    }
  };
  for (const at of world.replicas) {
    await deliverAll(at);
    while (at.inFlight.length > 0) end(at, 0, at.inFlight[0]!.row === undefined);
    void at.spending.refresh();
    await deliverAll(at);
  }
}

/** What one replica would still let in, by asking it. */
async function largestGranted(world: World, at: Replica, keyId: number): Promise<bigint> {
  let [granted, refused] = [0n, 4n * LIMIT];
  while (refused - granted > 1n) {
    const usage = (granted + refused) / 2n;
    const asked = at.spending.reserve(world.principal(keyId), { usage, byok: 0n });
    const reservation = await asked.catch(() => undefined);
    reservation?.settle(NOTHING);
    if (reservation === undefined) refused = usage;
    else granted = usage;
  }
  return granted;
}

test.each(CEILINGS.map((ceilings) => [ceilings[0]!.payer, ceilings[0]!.interval, ceilings] as const))(
  'under a limit of a %s (%s), no interleaving of replicas overspends, leaks a reservation or drifts',
  async (_payer, _interval, ceilings) => {
    let granted = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const world = createWorld(ceilings);
        for (const step of script) await take(world, step);
        await comeToRest(world);
        expect(world.violations).toEqual([]);
        granted += world.granted;
        for (const at of world.replicas) {
          for (const keyId of [1, 2]) {
            expect(at.spending.reservedBy(keyId)).toEqual(NOTHING);
            // Payers that were forgotten, or never there, are read first.
            const unknown = at.spending.reserve(world.principal(keyId), ONE).then(
              (reservation) => reservation.settle(NOTHING),
              () => {},
            );
            await settled();
            while (at.held.open.length > 0) at.held.deliver();
            await unknown;
            expect(await largestGranted(world, at, keyId)).toBe(trulyLeft(world, keyId));
          }
        }
      }),
      { numRuns: 300 },
    );
    // Or else it would have tried nothing.
    expect(granted).toBeGreaterThan(1_000);
  },
);
