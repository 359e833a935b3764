import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../../domain/errors.ts';
import type { Principal } from '../../../../domain/principal.ts';
import type { Target } from '../../../../domain/routing/routing.ts';
import type { Spend } from '../../../../domain/ledger/spending-limit.ts';
import type { Ceiling } from '../../../../domain/ceiling.ts';
import { reserveFor, type TargetEstimate } from '../../../../services/live/pipeline/target-reservation.ts';
import type { Estimate, Spending } from '../../../../services/ledger/spending/spending.ts';

const SHARED = { endpoint: { id: 'shared' } } as Target;
const OWN = { endpoint: { id: 'own' }, own: {} } as Target;
const BUDGET: Ceiling = { payer: 'workspace', interval: 'daily', limit: 1_000n, includeByok: true };
const CREDIT: Ceiling = { payer: 'organization', interval: 'lifetime', limit: 'credit', includeByok: false };

const callUnder = (...ceilings: Ceiling[]) => ({
  principal: { ceilings } as unknown as Principal,
  signal: new AbortController().signal,
});

/** Money of both kinds; each answer costs what is left of it. */
function spendingOf(left: Spend) {
  const open: Estimate[] = [];
  const settled: Spend[] = [];
  const spending: Pick<Spending, 'reserve'> = {
    async reserve(_, estimates) {
      return estimates.map((estimate) => {
        const isByok = estimate.isByok === true;
        const [wanted, have] = isByok ? [estimate.byok, left.byok] : [estimate.usage, left.usage];
        if (wanted > have) return new AppError(isByok ? 'budget_exceeded' : 'insufficient_credits');
        open.push(estimate);
        return {
          held: have,
          settle(spent: Spend) {
            open.splice(open.indexOf(estimate), 1);
            settled.push(spent);
          },
        };
      });
    },
  };
  return { spending, open, settled };
}

const estimateAt = (target: Target): TargetEstimate => ({
  fixed: target.own === undefined ? 10n : 20n,
  mostFixed: 40n,
  output: { least: 1n, most: 100n, longest: 100, tokensFor: (money) => Number(money) },
});

const idsOf = (targets: readonly Target[]): string[] => targets.map(({ endpoint: { id } }) => id);

describe('the reservation for own and shared targets', () => {
  test('limits each answer by what is held for its kind', async () => {
    const { spending } = spendingOf({ usage: 15n, byok: 80n });
    const reserved = await reserveFor(spending, callUnder(BUDGET, CREDIT), [OWN, SHARED], estimateAt);
    expect(idsOf(reserved.targets)).toEqual(['own', 'shared']);
    expect([reserved.outputLimit(SHARED), reserved.outputLimit(OWN)]).toEqual([5, 60]);
  });

  test('sets no limit for an own target whose cost nothing counts', async () => {
    const { spending } = spendingOf({ usage: 15n, byok: 0n });
    const reserved = await reserveFor(spending, callUnder(CREDIT), [OWN, SHARED], estimateAt);
    expect([reserved.outputLimit(SHARED), reserved.outputLimit(OWN)]).toEqual([5, undefined]);
  });

  test.each([
    [{ usage: 0n, byok: 1_000n }, ['own']],
    [{ usage: 1_000n, byok: 0n }, ['shared']],
  ])('leaves with %j the targets that it covers', async (left, expected) => {
    const { spending } = spendingOf(left);
    const reserved = await reserveFor(spending, callUnder(BUDGET, CREDIT), [OWN, SHARED], estimateAt);
    expect(idsOf(reserved.targets)).toEqual(expected);
  });

  test('fails with a 402 when it covers neither kind', async () => {
    const { spending, open } = spendingOf({ usage: 0n, byok: 0n });
    const held = reserveFor(spending, callUnder(BUDGET, CREDIT), [OWN, SHARED], estimateAt);
    await expect(held).rejects.toMatchObject({ code: 'insufficient_credits' });
    expect(open).toEqual([]);
  });

  test('states what each kind may cost at most', async () => {
    const { spending, open } = spendingOf({ usage: 100n, byok: 100n });
    await reserveFor(spending, callUnder(BUDGET, CREDIT), [OWN, SHARED], estimateAt);
    expect(open.map(({ most }) => most)).toEqual([
      { usage: 0n, byok: 40n },
      { usage: 40n, byok: 0n },
    ]);
  });

  test('releases both kinds and settles the cost in one', async () => {
    const { spending, open, settled } = spendingOf({ usage: 100n, byok: 100n });
    const reserved = await reserveFor(spending, callUnder(BUDGET, CREDIT), [OWN, SHARED], estimateAt);
    reserved.reservation.settle({ usage: 0n, byok: 7n });
    expect(open).toEqual([]);
    expect(settled).toEqual([
      { usage: 0n, byok: 7n },
      { usage: 0n, byok: 0n },
    ]);
  });
});
