/** Calls the targets of a request one after the other until one answers. */
import { AppError } from '../../domain/errors.ts';
import type { ProviderResponse } from '../../domain/ledger/generation.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import { UnsupportedFieldsError } from '../../domain/unsupported-fields.ts';
import { circuitOf, type Target } from '../../domain/routing/routing.ts';
import type { AttemptMetrics } from './attempt-metrics.ts';
import type { EndpointHealthBoard } from './endpoint-health.ts';
import type { GoneModels } from './gone-models.ts';
import { isEndpointsFault, nextAfter, toCallerError } from './provider-failure.ts';

export interface AttemptsOptions<T> {
  /** The targets, best first; never empty. */
  targets: readonly Target[];
  health: EndpointHealthBoard;
  metrics: Pick<AttemptMetrics, 'ended'>;
  goneModels: Pick<GoneModels, 'note'>;
  providerName(slug: string): string;
  /** The time after which no attempt starts or continues, in Unix milliseconds. */
  deadlineAtMs: number;
  /** Makes one attempt, which must end within `leftMs` (above zero). Rejects with a ProviderError. */
  attempt(target: Target, leftMs: number): Promise<T>;
}

export interface AttemptsResult<T> {
  /** The answer; absent when every attempt failed. Then `error` is the caller's error. */
  answered?: { target: Target; answer: T; startedAtMs: number };
  error?: AppError;
  responses: ProviderResponse[];
  /** The target of the last attempt. */
  target: Target;
  /**
   * True when the caller disconnected after the last attempt's request was sent, so that the upstream may charge for
   * it.
   */
  isAbandoned: boolean;
}

/**
 * Tries endpoints one after the other until one answers. This is the only retry loop: adapters and HTTP clients do not
 * retry.
 */
export async function runAttempts<T>(options: AttemptsOptions<T>): Promise<AttemptsResult<T>> {
  const { targets, metrics, deadlineAtMs, attempt } = options;
  const responses: ProviderResponse[] = [];
  let last: ProviderError | undefined;
  let isOfCustomer = false;
  let target = targets[0]!;
  /** Models whose endpoint refused the request. Their other endpoints would refuse it too. */
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
      // Report the failure of a call rather than that of an endpoint whose dialect lacks a field.
      if (last === undefined || !(thrown instanceof UnsupportedFieldsError)) {
        last = thrown;
        isOfCustomer = target.own !== undefined;
      }
      responses.push(describe(options, target, startedAtMs, thrown.status ?? null, thrown.code));
      if (target.own === undefined) {
        metrics.ended(target.endpoint.providerSlug, thrown);
        options.goneModels.note(target.endpoint, thrown);
      }
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
    error,
  };
}
