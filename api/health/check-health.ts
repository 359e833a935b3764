/** Handles `GET /healthz`: reports that the process is alive. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';

export const checkHealth = defineRoute(operations.checkHealth, async () => ({
  status: 200,
  body: { status: 'ok' },
}));
