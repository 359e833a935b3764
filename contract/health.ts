/** Declares the operations that report whether a process is alive and whether its dependencies can be reached. */
import { z } from 'zod';
import { defineOperations } from './operation.ts';

const common = { base: 'root', access: 'public', tag: 'Health' } as const;
const check = z.enum(['ok', 'failed']);

export const readiness = z
  .object({
    status: z.enum(['ok', 'unavailable', 'stopping']),
    checks: z.object({ postgres: check, temporal: check }),
  })
  .meta({ id: 'Readiness' });

export type Readiness = z.output<typeof readiness>;

export const healthOperations = defineOperations(common, {
  checkHealth: {
    route: 'GET /healthz',
    summary: 'Reports that the process is alive',
    responses: {
      200: {
        description: 'The process is alive.',
        schema: z.object({ status: z.literal('ok') }).meta({ id: 'Health' }),
        example: { status: 'ok' },
      },
    },
  },

  checkReadiness: {
    route: 'GET /readyz',
    summary: 'Reports whether all dependencies can be reached',
    description:
      'Checks Postgres and Temporal, each for two seconds at most. Without Temporal the gateway still accepts jobs, which start once Temporal is back.',
    responses: {
      200: {
        description: 'Postgres and Temporal answer.',
        schema: readiness,
        example: { status: 'ok', checks: { postgres: 'ok', temporal: 'ok' } },
      },
      503: {
        description:
          'Postgres or Temporal does not answer, see `checks`; or the process stops and takes its last requests.',
        schema: readiness,
        example: { status: 'unavailable', checks: { postgres: 'failed', temporal: 'ok' } },
      },
    },
  },
});
