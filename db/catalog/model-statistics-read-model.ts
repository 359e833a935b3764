/** Computes the speed, health and use of models from recorded generations. */
import { API_TYPES } from '../../domain/ledger/generation.ts';
import type { Handle } from '../postgres/connection.ts';
import { enumOf, float8, float8s, int4, type RowOf, text } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

/** Identifies an endpoint in the ledger: by its id if recorded, or else by model, provider and type. */
const ENDPOINT_KEY = {
  /** Null for jobs, since their attempts name no endpoint. */
  endpointId: text.orNull,
  /** Canonical slug. */
  model: text,
  provider: text,
  apiType: enumOf(API_TYPES),
};

/** The 50th, 75th, 90th and 99th percentile; null without measurements. */
const ENDPOINT_SPEED = { ...ENDPOINT_KEY, latencyMs: float8s.orNull, tokensPerSecond: float8s.orNull };
export type EndpointSpeed = RowOf<typeof ENDPOINT_SPEED>;

/**
 * The number of calls that show an endpoint's health. Calls refused for their content or by a rate limit are left out.
 */
const ENDPOINT_ATTEMPTS = { ...ENDPOINT_KEY, answered: int4, failed: int4 };
export type EndpointAttempts = RowOf<typeof ENDPOINT_ATTEMPTS>;

/** The use of a model, which its canonical slug names. */
const MODEL_TOTALS = { model: text, requests: float8, tokens: float8 };
export type ModelUse = RowOf<typeof MODEL_TOTALS>;

/** Errors that do not show the health of an upstream, so attempts with these errors do not count. */
const IGNORED_ERRORS = ['aborted', 'invalid_request', 'content_policy', 'rate_limited'];

/**
 * Reads the performance of models and endpoints from the ledger, over all organizations. Requests with customers' own
 * keys and endpoints are left out. Each query reads much: run it at intervals, never for a request.
 */
export function createModelStatisticsReadModel(handle: Handle) {
  return {
    /**
     * Returns the speeds of completed generations that began at `since` or later. One in `oneIn` generations is read,
     * always the same ones.
     */
    speedsSince: (since: Date, oneIn: number): Promise<EndpointSpeed[]> =>
      rowsOf(handle, ENDPOINT_SPEED, SPEEDS, { since, oneIn }),

    /** Returns the attempts of generations that began at `since` or later, and before `until`. */
    attemptsBetween: (since: Date, until: Date): Promise<EndpointAttempts[]> =>
      rowsOf(handle, ENDPOINT_ATTEMPTS, ATTEMPTS, { since, until, ignoredErrors: IGNORED_ERRORS }),

    /** Returns the usage on the UTC day that begins at `day`. */
    modelUseOn: (day: Date): Promise<ModelUse[]> => rowsOf(handle, MODEL_TOTALS, MODEL_USE, { day }),
  };
}

export type ModelStatisticsReadModel = ReturnType<typeof createModelStatisticsReadModel>;

/** Selects by `created_at`, the key of partitions and indexes, so only that range is read. */
const RECENT = `
  select g.model, g.provider, g.api_type, g.status, g.is_byok, g.latency_ms, g.generation_ms, g.tokens_completion,
    d.provider_responses responses, json_array_length(d.provider_responses) attempts
  from generations g join generation_details d using (created_at, id)
  where g.created_at >= :since and d.created_at >= :since`;

const SPEEDS = `
  select responses -> (attempts - 1) ->> 'endpoint_id' "endpointId", model, provider, api_type "apiType",
    percentile_cont(array[0.5, 0.75, 0.9, 0.99]) within group (order by latency_ms) "latencyMs",
    percentile_cont(array[0.5, 0.75, 0.9, 0.99]) within group (
      order by case when generation_ms > 0 and tokens_completion > 0
        then tokens_completion * float8 '1000' / generation_ms end) "tokensPerSecond"
  from (${RECENT} and g.status = 'completed' and not g.is_byok and hashtext(g.id) % cast(:oneIn as integer) = 0) recent
  group by 1, 2, 3, 4`;

/**
 * Counts attempts. If a generation failed although its last attempt was answered, the answer was interrupted, which
 * counts as a failure of that endpoint. Attempts of jobs have no outcome of their own, so the job's outcome counts.
 * Attempts that name their endpoint are grouped by its id, others by model, provider and type.
 */
const ATTEMPTS = `
  with calls as (
    select a.call ->> 'endpoint_id' "endpointId", model, provider, api_type, status,
      coalesce(a.call ->> 'error', '') error, a.n = attempts is_last,
      case when a.call ->> 'endpoint_id' is null then is_byok else coalesce((a.call ->> 'is_byok')::boolean, false) end is_own
    from (${RECENT} and g.created_at < :until and d.created_at < :until) recent
      cross join lateral json_array_elements(responses) with ordinality a (call, n)
  ),
  outcomes as (
    select "endpointId", model, provider, api_type,
      error <> '' or (is_last and status in ('failed', 'expired')) has_failed
    from calls
    where error <> all(:ignoredErrors) and not is_own
      and ("endpointId" is not null or (is_last and status <> 'cancelled'))
  )
  select "endpointId", min(model) model, min(provider) provider, min(api_type) "apiType",
    (count(*) filter (where not has_failed))::integer answered,
    (count(*) filter (where has_failed))::integer failed
  from outcomes
  group by "endpointId", case when "endpointId" is null then (model, provider, api_type) end`;

/** Sums the usage of models. It joins workspaces because the key of the rollups begins with them. */
const MODEL_USE = `
  select u.model, sum(u.request_count)::float8 requests, sum(u.tokens_prompt + u.tokens_completion)::float8 tokens
  from workspaces w join daily_usage u on u.workspace_id = w.id
  where u.bucket = :day and not u.is_byok
  group by 1`;
