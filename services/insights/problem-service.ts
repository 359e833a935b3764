/** Shows what is wrong in an organization now. */
import { type FailingDestination, failingDestinations } from '../../db/broadcast/failing-destinations.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createOpenCircuitStore, type OpenCircuit } from '../../db/routing/open-circuit-store.ts';
import { createUnconfirmedReadModel, type UnconfirmedJob } from '../../db/videos/unconfirmed-read-model.ts';
import { type FailingWebhook, failingWebhooks } from '../../db/webhooks/failing-webhooks.ts';
import { type LimitNearEnd, limitsNearEnd } from '../ledger/budget-alerts/limits-near-end.ts';
import type { ConcurrencyLimit } from '../concurrency-limit.ts';

/** The present problems of each kind. */
export interface Problems {
  limits: LimitNearEnd[];
  destinations: FailingDestination[];
  webhooks: FailingWebhook[];
  jobs: UnconfirmedJob[];
  circuits: OpenCircuit[];
}

export type FoundProblems = Problems & {
  /** The kinds of which there are more than are shown. */
  hasMore: (keyof Problems)[];
};

export interface ProblemServiceDeps {
  /** Connections for heavy reads. */
  handle: Handle;
  concurrencyLimit: ConcurrencyLimit;
}

/** The most problems of a kind that are shown. */
const SHOWN = 20;

/** Reads problems as they are now, without a history. Each kind is one short statement. */
export function createProblemService({ handle, concurrencyLimit }: ProblemServiceDeps) {
  const read = async (organizationId: string): Promise<FoundProblems> => {
    const limit = SHOWN + 1;
    const found: Problems = {
      limits: await limitsNearEnd(handle, organizationId, limit, Date.now()),
      destinations: await failingDestinations(handle, organizationId, limit),
      webhooks: await failingWebhooks(handle, organizationId, limit),
      jobs: await createUnconfirmedReadModel(handle).ofOrganization(organizationId, limit),
      circuits: await createOpenCircuitStore(handle).ofOrganization(organizationId, limit),
    };
    const kinds = Object.keys(found) as (keyof Problems)[];
    return {
      limits: found.limits.slice(0, SHOWN),
      destinations: found.destinations.slice(0, SHOWN),
      webhooks: found.webhooks.slice(0, SHOWN),
      jobs: found.jobs.slice(0, SHOWN),
      circuits: found.circuits.slice(0, SHOWN),
      hasMore: kinds.filter((kind) => found[kind].length > SHOWN),
    };
  };
  return {
    list: (organizationId: string, gone: AbortSignal): Promise<FoundProblems> =>
      concurrencyLimit.run(organizationId, gone, () => read(organizationId)),
  };
}

export type ProblemService = ReturnType<typeof createProblemService>;
