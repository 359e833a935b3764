import { AppError } from '../../domain/errors.ts';
import type { ProviderResponse } from '../../domain/ledger/generation.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import { CannotCarryError } from './cannot-carry.ts';
import { circuitOf, type Target } from '../../domain/routing/routing.ts';
import type { AttemptMetrics } from './attempt-metrics.ts';
import type { EndpointHealthBoard } from './endpoint-health.ts';
import { isEndpointsFault, nextAfter, toCallerError } from './provider-failure.ts';

export interface AttemptsOptions<T> {
  /** Best first; never empty. */
  targets: readonly Target[];
  health: EndpointHealthBoard;
  metrics: AttemptMetrics;
  providerName(slug: string): string;
  /** No attempt begins after this, nor is given longer; Unix milliseconds. */
  deadlineAtMs: number;
  /** Has to end within `leftMs`, which is more than zero. Rejects with a ProviderError. */
  attempt(target: Target, leftMs: number): Promise<T>;
}

export interface AttemptsResult<T> {
  /** Absent when every attempt failed: then `error` says what the caller is told. */
  answered?: { target: Target; answer: T; startedAtMs: number };
  error?: AppError;
  responses: ProviderResponse[];
  /** Of the last attempt. */
  target: Target;
  /** The caller left when the last attempt's request had been sent: the upstream may charge for it. */
  isAbandoned: boolean;
}

/**
 * Tries one endpoint after the other until one answers. The only retry loop there is: adapters and clients below
 * it repeat nothing.
 */
export async function runAttempts<T>(options: AttemptsOptions<T>): Promise<AttemptsResult<T>> {
  const { targets, metrics, deadlineAtMs, attempt } = options;
  const responses: ProviderResponse[] = [];
  let last: ProviderError | undefined;
  let isOfCustomer = false;
  let target = targets[0]!;
  /** What one endpoint of a model refused, the model's others would refuse too. */
  let refused: Set<string> | undefined;
  for (const candidate of targets) {
    if (refused?.has(candidate.model.id)) continue;
    const startedAtMs = Date.now();
    const leftMs = deadlineAtMs - startedAtMs;
    if (leftMs <= 0 && last !== undefined) break;
    target = candidate;
    try {
      const answer = await attempt(target, Math.max(1, leftMs));
      responses.push(describe(options, target, startedAtMs, 200));
      if (target.own === undefined) metrics.ended(target.endpoint.providerSlug);
      return { answered: { target, answer, startedAtMs }, responses, target, isAbandoned: false };
    } catch (thrown) {
      if (!(thrown instanceof ProviderError)) throw thrown;
      // What an endpoint could do and failed at says more than what another has no word for.
      if (last === undefined || !(thrown instanceof CannotCarryError)) {
        last = thrown;
        isOfCustomer = target.own !== undefined;
      }
      responses.push(describe(options, target, startedAtMs, thrown.status ?? null, thrown.code));
      if (target.own === undefined) metrics.ended(target.endpoint.providerSlug, thrown);
      if (isEndpointsFault(thrown)) options.health.record(circuitOf(target), { ok: false });
      const next = nextAfter(thrown);
      if (next === 'stop') break;
      if (next === 'model') (refused ??= new Set()).add(target.model.id);
    }
  }
  const error = last === undefined ? new AppError('unavailable') : toCallerError(last, isOfCustomer);
  const isAbandoned = last?.code === 'aborted' && last.sent;
  return { error, responses, target, isAbandoned };
}

function describe<T>(
  { providerName }: AttemptsOptions<T>,
  { endpoint, own }: Target,
  startedAtMs: number,
  status: number | null,
  error?: string,
): ProviderResponse {
  return {
    provider: endpoint.providerSlug,
    provider_name: providerName(endpoint.providerSlug),
    endpoint_id: endpoint.id,
    status,
    latency: Date.now() - startedAtMs,
    is_byok: own !== undefined,
    ...(error === undefined ? {} : { error }),
  };
}
