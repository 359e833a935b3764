/** Handles `DELETE /interns/{internId}/attached-vault`: stops an intern from using another intern's vault. */
import { operations } from '../../contract/operations.ts';
import { presentIntern } from './present-intern.ts';
import { defineRoute } from '../http/route.ts';

export const detachVault = defineRoute(
  operations.detachVault,
  async ({ principal, client, params }, { services }) => {
    const intern = await services.interns.detach({ principal, client }, params.internId);
    return { status: 200, body: presentIntern(intern) };
  },
);
