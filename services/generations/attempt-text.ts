import type { Nanos } from '../../domain/money.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import type { Target } from '../../domain/routing.ts';
import { costOfTokens } from '../../domain/token-price.ts';
import type { TextCallContext } from '../../providers/provider.ts';
import { type AttemptsResult, runAttempts } from '../routing/run-attempts.ts';
import type { TextCall } from './text-call.ts';
import type { TextDeps } from './text-deps.ts';

/** Design: §6. An endpoint's row may override the first three. */
const FIRST_BYTE_MS = 60_000;
const IDLE_MS = 120_000;
const ATTEMPT_MS = 600_000;
const ALL_ATTEMPTS_MS = 900_000;

/** Asks one endpoint after the other through its adapter. */
export function attemptText<T>(
  deps: TextDeps,
  call: TextCall<unknown>,
  targets: readonly Target[],
  ask: (target: Target, context: TextCallContext) => Promise<T> | undefined,
): Promise<AttemptsResult<T>> {
  return runAttempts({
    targets,
    health: deps.health,
    providerName: deps.catalog.providerName,
    deadlineAtMs: Date.now() + ALL_ATTEMPTS_MS,
    attempt: (target) => ask(target, contextOf(call, target)) ?? Promise.reject(withoutAdapter()),
  });
}

function contextOf({ client, signal }: TextCall<unknown>, { endpoint }: Target): TextCallContext {
  const { firstByteMs = FIRST_BYTE_MS, idleMs = IDLE_MS, attemptMs = ATTEMPT_MS } = endpoint.timeouts;
  return { signal, requestId: client.requestId, timeouts: { firstByteMs, idleMs, attemptMs } };
}

/** The catalog names an endpoint of a provider that this process cannot speak to. */
function withoutAdapter(): ProviderError {
  return new ProviderError({
    code: 'not_connected',
    retryable: false,
    publicMessage: 'The provider cannot be reached.',
  });
}

/** What the request may cost at most at any of the endpoints. */
export function estimateCost(
  targets: readonly Target[],
  tokens: { prompt: number; completion: number },
  images: number,
): Nanos {
  let highest = 0n;
  for (const { endpoint } of targets) {
    const { totalNanos } = costOfTokens(endpoint.pricing, tokens, images);
    if (totalNanos > highest) highest = totalNanos;
  }
  return highest;
}
