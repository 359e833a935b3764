/** Makes the upstream calls of a live request, with fallbacks and timeouts. */
import type { LiveEndpoint } from '../../domain/catalog/catalog.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import type { Target } from '../../domain/routing/routing.ts';
import { AnswerAllowance } from '../../providers/answer-allowance.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import { type AttemptsResult, runAttempts } from '../routing/run-attempts.ts';
import type { LiveCall } from './live-call.ts';
import type { LiveDeps } from './live-deps.ts';

/** Default timeouts of a live attempt (docs/design.md, Routing). An endpoint's row in the catalog may override them. */
const FIRST_BYTE_MS = 60_000;
const IDLE_MS = 120_000;
const ATTEMPT_MS = 600_000;
/**
 * The time limit for all attempts of a request together, which an endpoint's row cannot override. A stream that has
 * started may take longer.
 */
const ALL_ATTEMPTS_MS = 900_000;

/** Calls endpoints through their adapters, one after the other, until one answers. */
export async function attemptLive<T>(
  deps: LiveDeps,
  call: LiveCall<unknown>,
  targets: readonly Target[],
  ask: (target: Target, context: LiveCallContext) => Promise<T> | undefined,
): Promise<AttemptsResult<T>> {
  // Measure the wait more finely than in milliseconds, because the gateway's own share is often below one.
  const sinceMs = performance.now();
  const result = await runAttempts({
    targets,
    health: deps.health,
    metrics: deps.attempts,
    goneModels: deps.goneModels,
    providerName: deps.catalog.providerName,
    deadlineAtMs: Date.now() + ALL_ATTEMPTS_MS,
    attempt: (target, leftMs) =>
      ask(target, contextOf(deps, call, target, leftMs)) ?? Promise.reject(withoutAdapter()),
  });
  call.waits.upstreamMs += performance.now() - sinceMs;
  return result;
}

function contextOf(
  { attempts }: Pick<LiveDeps, 'attempts'>,
  { client, signal, answer }: LiveCall<unknown>,
  { endpoint, model }: Target,
  leftMs: number,
): LiveCallContext {
  const { timeouts, maxCompletionTokens: most } = endpoint;
  const context: LiveCallContext = {
    signal,
    answer: new AnswerAllowance(answer, model.outputModalities.some(isLarge)),
    requestId: client.requestId,
    noteRepair: (kind) => attempts.repaired(endpoint.providerSlug, kind),
    hops: client.hops,
    timeouts: timeoutsWithin(leftMs, timeouts),
  };
  if (endpoint.deviations !== undefined) context.deviations = endpoint.deviations;
  if (most !== null) context.maxOutputTokens = most;
  if (model.reasoning) context.reasoning = model.reasoning;
  return context;
}

/** Returns whether content of this kind may take more bytes than a text. */
function isLarge(modality: string): boolean {
  return modality !== 'text' && modality !== 'rerank';
}

/** Returns the timeouts of one attempt, bounded by the time that is left for all attempts. */
export function timeoutsWithin(
  leftMs: number,
  { firstByteMs = FIRST_BYTE_MS, idleMs = IDLE_MS, attemptMs = ATTEMPT_MS }: LiveEndpoint['timeouts'],
): LiveCallContext['timeouts'] {
  return { firstByteMs: Math.min(firstByteMs, leftMs), idleMs, attemptMs: Math.min(attemptMs, leftMs) };
}

/** Returns the failure for an endpoint of a provider for which this process has no adapter. */
export function withoutAdapter(): ProviderError {
  return new ProviderError({
    code: 'not_connected',
    sent: false,
    retryable: false,
    publicMessage: 'The provider cannot be reached.',
  });
}
