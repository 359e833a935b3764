/** Admits requests under spending limits: reserves what they may cost, or lets them wait for their turn. */
import type { AppError } from '../../../domain/errors.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { Ceiling } from '../../../domain/ceiling.ts';
import { addSpend, countedUnder, type Spend, utcDay } from '../../../domain/ledger/spending-limit.ts';
import type { CounterReader } from './counter-reader.ts';
import { mostOf } from './estimate.ts';
import { hold, leftBeside, type Payer, release, spend, windowOf } from './payer.ts';
import { payerIds, type Payers } from './payers.ts';
import { refusalOf } from './refusal.ts';
import { roomFor } from './room.ts';
import type { Estimate, Reservation } from './spending.ts';
import { type Tried, waitForTurn, wake } from './turns.ts';
import type { WaitMetrics } from './wait-metrics.ts';

/** The parts of a process that admit requests. */
export interface Admission {
  payers: Payers;
  reader: Pick<CounterReader, 'readFirst'>;
  creditsUrl: string;
  waits: WaitMetrics | undefined;
  /** The longest time that a request waits for its turn. */
  waitMs: number;
  now(): number;
  /** Called for each request that has limits. */
  onUsed(): void;
}

interface AdmissionRequest {
  admission: Admission;
  /** Each payer once, in the order of its first ceiling. */
  charged: Payer[];
  ceilings: readonly Ceiling[];
  estimates: readonly Estimate[];
}

/** A reservation, or the 402 for a part of a request that the money left does not cover. */
type Part = Reservation | AppError;

/** Reserves the estimates of one request, of which only one will be spent. */
export async function admit(
  admission: Admission,
  principal: Principal,
  ceilings: readonly Ceiling[],
  estimates: readonly Estimate[],
  gone: AbortSignal | undefined,
): Promise<Part[]> {
  const charged = payersOf(admission, principal, ceilings);
  const request = { admission, charged, ceilings, estimates };
  admission.onUsed();
  for (const payer of charged) payer.users += 1;
  try {
    await readUnknown(request);
    // No `await` from the check to the reservation, so that two requests cannot both reserve the last cent.
    const tried = take(request);
    if ('taken' in tried) return tried.taken;
    const attempt = (head: Payer): Tried<Part[]> => take(request, head);
    return await waitForTurn(tried.busy, { ...admission, attempt, gone });
  } finally {
    for (const payer of charged) payer.users -= 1;
  }
}

function payersOf({ payers, now }: Admission, principal: Principal, ceilings: readonly Ceiling[]): Payer[] {
  const ids = payerIds(principal);
  const charged: Payer[] = [];
  for (const { payer: kind } of ceilings) {
    if (!charged.some((payer) => payer.kind === kind)) charged.push(payers.use(kind, ids[kind], now()));
  }
  return charged;
}

function payerUnder({ payer: kind }: Ceiling, charged: readonly Payer[]): Payer {
  const payer = charged.find((candidate) => candidate.kind === kind);
  if (payer === undefined) throw new Error(`no ${kind} among the payers`);
  return payer;
}

/** Reads counters that are not in memory. Does not wait when all are. */
async function readUnknown({ admission, charged, ceilings }: AdmissionRequest): Promise<void> {
  let reads: Promise<void>[] | undefined;
  for (const ceiling of ceilings) {
    const window = windowOf(payerUnder(ceiling, charged), ceiling.interval, utcDay(admission.now()));
    window.ceiling = ceiling;
    if (window.counters === null) (reads ??= []).push(admission.reader.readFirst(window));
  }
  if (reads !== undefined) await Promise.all(reads);
}

/** The amounts of a part: what is reserved, and what it may cost at most. */
interface Amounts {
  held: Spend;
  most: Spend;
  estimate: Estimate;
}

/**
 * Reserves all parts at once, or none when a payer is busy. `head` is the payer in whose queue the request is first.
 */
function take(request: AdmissionRequest, head?: Payer): Tried<Part[]> {
  const { admission, charged, ceilings, estimates } = request;
  let [held, most]: [Spend, Spend] = [NOTHING, NOTHING];
  const parts: (Amounts | AppError)[] = [];
  const refusing: Ceiling[] = [];
  for (const estimate of estimates) {
    const room = roomFor(estimate, ceilings, (ceiling) =>
      leftOf(request, ceiling, (payer) => addSpend(payer.held, held)),
    );
    if ('refusing' in room) {
      refusing.push(room.refusing);
      parts.push(refusalOf(room.refusing, admission.creditsUrl, room.details));
    } else {
      const amounts = { held: room, most: mostOf(estimate, room), estimate };
      parts.push(amounts);
      [held, most] = [addSpend(held, room), addSpend(most, amounts.most)];
    }
  }
  const busy = busyPayer(request, most, head);
  if (busy !== undefined) return { busy };
  // A request is refused only if the money covers none of its parts.
  if (refusing.length === parts.length) for (const ceiling of refusing) markRefused(request, ceiling);
  return { taken: parts.map((part) => ('held' in part ? reserve(part, charged, admission.now) : part)) };
}

/** Records a refusal of a payer that is not made here, such as that of a video job. */
export function noteRefusal(admission: Admission, principal: Principal, ceiling: Ceiling): void {
  const charged = payersOf(admission, principal, [ceiling]);
  admission.onUsed();
  markRefused({ admission, charged }, ceiling);
}

/** Records a refusal. The next read of the counters, which follows within a second, looks for alerts. */
function markRefused(
  { admission, charged }: Pick<AdmissionRequest, 'admission' | 'charged'>,
  ceiling: Ceiling,
): void {
  const nowMs = admission.now();
  const window = windowOf(payerUnder(ceiling, charged), ceiling.interval, utcDay(nowMs));
  window.ceiling = ceiling;
  window.refusal = { atMs: nowMs, limit: ceiling.limit };
}

const NOTHING: Spend = { usage: 0n, byok: 0n };

/**
 * Returns the payer for which the request must wait: other requests wait for it already, or the highest possible costs
 * of all its requests in flight do not fit the money left. A request that is alone goes in any case.
 */
function busyPayer(request: AdmissionRequest, most: Spend, head: Payer | undefined): Payer | undefined {
  for (const ceiling of request.ceilings) {
    const wanted = countedUnder(ceiling, most);
    if (wanted === 0n) continue;
    const payer = payerUnder(ceiling, request.charged);
    if (payer.waiting.length > 0 && payer !== head) return payer;
    if (payer.inFlight > 0 && leftOf(request, ceiling, ({ most: inFlight }) => inFlight) < wanted)
      return payer;
  }
  return undefined;
}

/** Returns the amount that a ceiling leaves beside an amount in flight. */
function leftOf(
  { charged, admission }: AdmissionRequest,
  ceiling: Ceiling,
  inFlightOf: (payer: Payer) => Spend,
): Nanos {
  const payer = payerUnder(ceiling, charged);
  return leftBeside(ceiling, windowOf(payer, ceiling.interval, utcDay(admission.now())), inFlightOf(payer));
}

function reserve({ held, most, estimate }: Amounts, charged: Payer[], now: () => number): Reservation {
  for (const payer of charged) hold(payer, held, most);
  let isOpen = true;
  return {
    held: estimate.isByok === true ? held.byok : held.usage,
    settle(spent) {
      if (!isOpen) return;
      isOpen = false;
      const nowMs = now();
      for (const payer of charged) {
        release(payer, held, most);
        spend(payer, spent, utcDay(nowMs));
        payer.lastUsedMs = nowMs;
      }
      for (const payer of charged) wake(payer);
    },
  };
}
