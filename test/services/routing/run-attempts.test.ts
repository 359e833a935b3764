import { describe, expect, test } from '@jest/globals';
import type { LiveEndpoint, LiveModel } from '../../../domain/catalog.ts';
import { ProviderError, type ProviderErrorCode } from '../../../domain/provider-error.ts';
import type { Target } from '../../../domain/routing.ts';
import { createEndpointHealth } from '../../../services/routing/endpoint-health.ts';
import { runAttempts } from '../../../services/routing/run-attempts.ts';

const model = (id: string) => ({ id, canonicalSlug: id }) as LiveModel;
const [one, two] = [model('m/one'), model('m/two')];

function target(of: LiveModel, providerSlug: string): Target {
  return { model: of, endpoint: { id: `${of.id}@${providerSlug}`, providerSlug } as LiveEndpoint };
}

function failure(code: ProviderErrorCode): ProviderError {
  return new ProviderError({ code, retryable: false, publicMessage: code });
}

/** Each target fails as it is told to, or answers. */
async function run(plan: [Target, ProviderErrorCode | null][], deadlineAtMs = Date.now() + 60_000) {
  const asked: string[] = [];
  const lefts: number[] = [];
  const result = await runAttempts({
    targets: plan.map(([planned]) => planned),
    health: createEndpointHealth(),
    providerName: (slug) => slug,
    deadlineAtMs,
    async attempt(chosen, leftMs) {
      asked.push(chosen.endpoint.id);
      lefts.push(leftMs);
      const code = plan.find(([planned]) => planned === chosen)![1];
      if (code !== null) throw failure(code);
      return 'answer';
    },
  });
  return { asked, lefts, result };
}

describe('attempts', () => {
  test('do not ask for a model again that refused the request, whatever came between', async () => {
    const { asked, result } = await run([
      [target(one, 'a'), 'invalid_request'],
      [target(two, 'b'), 'server_error'],
      [target(one, 'c'), null],
      [target(two, 'd'), null],
    ]);
    expect(asked).toEqual(['m/one@a', 'm/two@b', 'm/two@d']);
    expect(result.answered?.target.endpoint.id).toBe('m/two@d');
  });

  test('share one time: each may take what is left of it', async () => {
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

  test('end when the time is over, after one at least', async () => {
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

  test('tell the caller when to come back, though the upstream did not say', async () => {
    const limited = await run([[target(one, 'a'), 'rate_limited']]);
    expect(limited.result.error?.options.retryAfterSeconds).toBe(10);
    const failed = await run([[target(one, 'a'), 'server_error']]);
    expect(failed.result.error?.options.retryAfterSeconds).toBeUndefined();
  });
});
