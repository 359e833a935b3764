/** Measures how calls of each provider end, for operators. */
import type { ProviderError, ProviderErrorCode } from '../../domain/provider-error.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { type Repair, REPAIRS } from '../../providers/repairs.ts';
import { UnsupportedFieldsError } from '../../domain/unsupported-fields.ts';
import type { Catalog } from '../catalog/catalog.ts';

const OUTCOMES = [
  'answered',
  'refused',
  'rate_limited',
  'timed_out',
  'model_gone',
  'failed',
  'aborted',
] as const;
type Outcome = (typeof OUTCOMES)[number];

const OUTCOME_OF: Record<ProviderErrorCode, Outcome> = {
  not_connected: 'failed',
  connection_lost: 'failed',
  timeout: 'timed_out',
  aborted: 'aborted',
  rate_limited: 'rate_limited',
  overloaded: 'failed',
  server_error: 'failed',
  invalid_request: 'refused',
  unauthorized: 'failed',
  not_found: 'failed',
  conflict: 'failed',
  content_policy: 'refused',
  loop_detected: 'refused',
  invalid_response: 'failed',
};

function outcomeOf({ code, isModelGone }: ProviderError): Outcome {
  return isModelGone ? 'model_gone' : OUTCOME_OF[code];
}

/** The label for providers that the catalog lacks. */
const OTHER = 'other';

type Counts = Record<Outcome | Repair, () => void>;

/** Counts attempts at providers, and what was repaired in their answers. */
export function createAttemptMetrics(metrics: Metrics, catalog: Pick<Catalog, 'hasProvider'>) {
  const ended = metrics.counter({
    name: 'sluice_upstream_attempts_total',
    help: 'Attempts at providers, by how they ended.',
    labels: ['provider', 'outcome'],
  });
  const repaired = metrics.counter({
    name: 'sluice_upstream_repaired_total',
    help: 'Repairs in the answers of providers that bend their wire, by kind.',
    labels: ['provider', 'kind'],
  });
  const countsFor = (provider: string): Counts =>
    Object.fromEntries([
      ...OUTCOMES.map((outcome) => [outcome, ended({ provider, outcome })]),
      ...REPAIRS.map((kind) => [kind, repaired({ provider, kind })]),
    ]) as Counts;
  const ofOthers = countsFor(OTHER);
  const known = new Map<string, Counts>();
  const countsOf = (slug: string): Counts => {
    let counts = known.get(slug);
    if (counts !== undefined) return counts;
    // Only providers of the catalog, which the operator writes, get their own series.
    if (!catalog.hasProvider(slug)) return ofOthers;
    counts = countsFor(slug);
    known.set(slug, counts);
    return counts;
  };
  return {
    /** Counts an ended attempt. Without an error, the provider has answered or has started to answer. */
    ended(providerSlug: string, error?: ProviderError): void {
      // No request was sent.
      if (error instanceof UnsupportedFieldsError) return;
      countsOf(providerSlug)[error === undefined ? 'answered' : outcomeOf(error)]();
    },
    /** Counts a repair in an answer. */
    repaired(providerSlug: string, kind: Repair): void {
      countsOf(providerSlug)[kind]();
    },
  };
}

export type AttemptMetrics = ReturnType<typeof createAttemptMetrics>;
