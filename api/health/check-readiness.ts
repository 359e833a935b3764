import type { Readiness } from '../../contract/health.ts';
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';

/**
 * Answers 200 if all dependencies work, else 503, and names the failed ones in `checks`. Without Temporal, the API
 * still accepts jobs. A process that stops answers 503, so that balancers send it no more requests.
 */
export const checkReadiness = defineRoute(operations.checkReadiness, async (_call, { services }) => {
  const { postgres, temporal, isStopping } = await services.health.checkReadiness();
  const checks: Readiness['checks'] = {
    postgres: postgres ? 'ok' : 'failed',
    temporal: temporal ? 'ok' : 'failed',
  };
  if (isStopping === true) return { status: 503, body: { status: 'stopping', checks } };
  if (postgres && temporal) return { status: 200, body: { status: 'ok', checks } };
  return { status: 503, body: { status: 'unavailable', checks } };
});
