/** Reports whether the process is alive and whether its dependencies can be reached. */
import type { healthOperations, Readiness } from '../contract/health.ts';
import type { ReadinessCheck } from '../services/readiness.ts';
import type { RoutesOf } from './http/route.ts';

interface Used {
  health: { checkReadiness: ReadinessCheck };
}

export const healthRoutes: RoutesOf<typeof healthOperations, Used> = {
  /** Handles `GET /healthz`: reports that the process is alive. */
  checkHealth: async () => ({
    status: 200,
    body: { status: 'ok' },
  }),

  /**
   * Handles `GET /readyz`: answers 200 if all dependencies work, else 503, and names the failed ones in `checks`.
   * Without Temporal, the API still accepts jobs. A process that stops answers 503, so that balancers send it no more
   * requests.
   */
  checkReadiness: async (_call, { services }) => {
    const { postgres, temporal, isStopping } = await services.health.checkReadiness();
    const checks: Readiness['checks'] = {
      postgres: postgres ? 'ok' : 'failed',
      temporal: temporal ? 'ok' : 'failed',
    };
    if (isStopping === true) return { status: 503, body: { status: 'stopping', checks } };
    if (postgres && temporal) return { status: 200, body: { status: 'ok', checks } };
    return { status: 503, body: { status: 'unavailable', checks } };
  },
};
