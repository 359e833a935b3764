import { describe, expect, test } from '@jest/globals';
import type { LiveEndpoint, LiveModel } from '../../../domain/catalog/catalog.ts';
import { ProviderError, type ProviderErrorCode } from '../../../domain/provider-error.ts';
import type { OwnAccess } from '../../../domain/endpoints/own-access.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import { createEndpointHealth } from '../../../services/routing/endpoint-health.ts';
import { runAttempts } from '../../../services/routing/run-attempts.ts';

const model = (id: string) => ({ id, canonicalSlug: id }) as LiveModel;
const [one, two] = [model('m/one'), model('m/two')];

function target(of: LiveModel, providerSlug: string): Target {
  return { model: of, endpoint: { id: `${of.id}@${providerSlug}`, providerSlug } as LiveEndpoint };
}

/** How a target fails, if it does; with `unsent`, before anything has left for it, or with a status. */
type Plan = [Target, ProviderErrorCode | null, ('unsent' | 413)?][];

/** Each target fails as it is told to, or answers. */
async function run(plan: Plan, deadlineAtMs = Date.now() + 60_000) {
  const asked: string[] = [];
  const lefts: number[] = [];
  const counted: string[] = [];
  const noted: string[] = [];
  const result = await runAttempts({
    targets: plan.map(([planned]) => planned),
    health: createEndpointHealth(),
    metrics: { ended: (slug, error) => void counted.push(`${slug}: ${error?.code ?? 'answered'}`) },
    goneModels: { note: ({ id }, { code }) => void noted.push(`${id}: ${code}`) },
    providerName: (slug) => slug,
    deadlineAtMs,
    async attempt(chosen, leftMs) {
      asked.push(chosen.endpoint.id);
      lefts.push(leftMs);
      const [, code, more] = plan.find(([planned]) => planned === chosen)!;
      if (code === null) return 'answer';
      const status = more === 'unsent' ? undefined : more;
      const sent = more !== 'unsent';
      throw new ProviderError({ code, status, sent, retryable: false, publicMessage: code });
    },
  });
  return { asked, lefts, counted, noted, result };
}

describe('attempts', () => {
  test("tell about failures of the operator's endpoints only", async () => {
    const own = { ...target(one, 'a'), own: { circuitId: 'own' } as OwnAccess };
    const { noted } = await run([
      [own, 'not_found'],
      [target(one, 'b'), 'not_found'],
      [target(one, 'c'), null],
    ]);
    expect(noted).toEqual(['m/one@b: not_found']);
  });

  test('skip a model that refused the request before', async () => {
    const { asked, result } = await run([
      [target(one, 'a'), 'invalid_request'],
      [target(two, 'b'), 'server_error'],
      [target(one, 'c'), null],
      [target(two, 'd'), null],
    ]);
    expect(asked).toEqual(['m/one@a', 'm/two@b', 'm/two@d']);
    expect(result.answered?.target.endpoint.id).toBe('m/two@d');
  });

  test('go on to another endpoint of the model when a request is too large for one', async () => {
    const { asked } = await run([
      [target(one, 'a'), 'invalid_request', 413],
      [target(one, 'b'), null],
    ]);
    expect(asked).toEqual(['m/one@a', 'm/one@b']);
  });

  test('share one deadline: each receives the time left', async () => {
    const { lefts } = await run(
      [
        [target(one, 'a'), 'timeout'],
        [target(one, 'b'), null],
      ],
      Date.now() + 5_000,
    );
    expect(lefts).toHaveLength(2);
    for (const left of lefts) expect(left).toBeLessThanOrEqual(5_000);
  });

  test('count one by one with their provider and error', async () => {
    const { counted } = await run([
      [target(one, 'a'), 'rate_limited'],
      [target(two, 'b'), null],
    ]);
    expect(counted).toEqual(['a: rate_limited', 'b: answered']);
  });

  test('end at the deadline, after at least one', async () => {
    const { asked, lefts, result } = await run(
      [
        [target(one, 'a'), 'timeout'],
        [target(one, 'b'), null],
      ],
      Date.now() - 1,
    );
    expect(asked).toEqual(['m/one@a']);
    expect(lefts[0]).toBeGreaterThan(0);
    expect(result.error?.code).toBe('provider_timeout');
  });

  test('add retryAfterSeconds to a 429 when the upstream sent none', async () => {
    const limited = await run([[target(one, 'a'), 'rate_limited']]);
    expect(limited.result.error?.options.retryAfterSeconds).toBe(10);
    const failed = await run([[target(one, 'a'), 'server_error']]);
    expect(failed.result.error?.options.retryAfterSeconds).toBeUndefined();
  });

  test.each<[string, boolean, Plan]>([
    ['while one works', true, [[target(one, 'a'), 'aborted']]],
    [
      'while the second works',
      true,
      [
        [target(one, 'a'), 'server_error'],
        [target(one, 'b'), 'aborted'],
      ],
    ],
    ['before anything is sent', false, [[target(one, 'a'), 'aborted', 'unsent']]],
    [
      'after a failure, before anything else is sent',
      false,
      [
        [target(one, 'a'), 'timeout'],
        [target(one, 'b'), 'aborted', 'unsent'],
      ],
    ],
    ['never', false, [[target(one, 'a'), 'timeout']]],
    ['never, and get an answer', false, [[target(one, 'a'), null]]],
  ])('report a caller who leaves %s: isAbandoned is %s', async (_when, isAbandoned, plan) => {
    const { result } = await run(plan);
    expect([result.isAbandoned, result.target]).toEqual([isAbandoned, plan.at(-1)![0]]);
  });
});
