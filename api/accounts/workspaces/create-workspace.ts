/** Handles `POST /workspaces`: creates a workspace in the organization. */
import { operations } from '../../../contract/operations.ts';
import type { WorkspaceAnswer } from '../../../contract/accounts/workspaces.ts';
import { presentWorkspace } from './present-workspace.ts';
import { defineRoute } from '../../http/route.ts';
import { toWorkspaceChanges } from './to-workspace-changes.ts';

export const createWorkspace = defineRoute(
  operations.createWorkspace,
  async ({ principal, client, body, idempotency }, { services }) => {
    const { name, slug } = body;
    const draft = { ...toWorkspaceChanges(body), name, slug };
    const result = await services.workspaces.create({ principal, client }, draft, {
      ...(idempotency === undefined ? {} : { idempotency }),
      respond: (workspace) => ({ status: 201, body: { data: presentWorkspace(workspace) } }),
    });
    return {
      status: 201,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as WorkspaceAnswer,
    };
  },
);
