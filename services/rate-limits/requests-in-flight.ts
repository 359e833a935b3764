/** Limits how many requests of one key and of one organization call upstreams at the same time. */
import { AppError } from '../../domain/errors.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Metrics } from '../../platform/metrics.ts';

/** The `Retry-After` of a refused request. Some answers end within this time. */
const RETRY_AFTER_SECONDS = 1;

export interface RequestsInFlightOptions {
  maxOfKey: number;
  maxOfOrganization: number;
  metrics: Pick<Metrics, 'counter'>;
}

interface Counter {
  inFlight: number;
}

interface KeyCounter extends Counter {
  organization: Counter;
}

/**
 * Counts the requests in flight of this process. It bounds the sockets of one tenant, also when the tenant's server
 * answers each request by calling the gateway again.
 */
export function createRequestsInFlight({ maxOfKey, maxOfOrganization, metrics }: RequestsInFlightOptions) {
  // Only keys and organizations with requests in flight have a counter.
  const keys = new Map<number, KeyCounter>();
  const organizations = new Map<string, Counter>();
  const refused = metrics.counter({
    name: 'sluice_in_flight_refused_total',
    help: 'Requests that were refused because their key or organization had too many in flight.',
    labels: ['limit'],
  });
  const refusedBy = { key: refused({ limit: 'key' }), organization: refused({ limit: 'organization' }) };

  const refuse = (limit: 'key' | 'organization'): AppError => {
    refusedBy[limit]();
    return new AppError('rate_limited', {
      reason: 'too_many_in_flight',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  };

  return {
    /**
     * Counts one more request until the returned function is called, which must happen once. Throws 429 when the key
     * or its organization has too many already.
     */
    enter({ keyId, organizationId }: Pick<Principal, 'keyId' | 'organizationId'>): () => void {
      const key = keys.get(keyId) ?? {
        inFlight: 0,
        organization: organizations.get(organizationId) ?? { inFlight: 0 },
      };
      const { organization } = key;
      if (key.inFlight === maxOfKey) throw refuse('key');
      if (organization.inFlight === maxOfOrganization) throw refuse('organization');
      key.inFlight += 1;
      organization.inFlight += 1;
      if (key.inFlight === 1) keys.set(keyId, key);
      if (organization.inFlight === 1) organizations.set(organizationId, organization);
      return () => {
        key.inFlight -= 1;
        organization.inFlight -= 1;
        if (key.inFlight === 0) keys.delete(keyId);
        if (organization.inFlight === 0) organizations.delete(organizationId);
      };
    },
  };
}

export type RequestsInFlight = ReturnType<typeof createRequestsInFlight>;
