/** Handles `GET /vault/interns/{internId}/connections`: returns an empty list, because interns have no connections. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';

export const listInternConnections = defineRoute(
  operations.listInternConnections,
  async ({ principal, params }, { services }) => {
    const data = await services.vault.connections(principal, params.internId);
    return { status: 200, body: { data } };
  },
);
