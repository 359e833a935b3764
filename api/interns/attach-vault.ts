/** Handles `PUT /interns/{internId}/attached-vault`: lets an intern use the vault of another intern. */
import { operations } from '../../contract/operations.ts';
import { presentIntern } from './present-intern.ts';
import { defineRoute } from '../http/route.ts';

export const attachVault = defineRoute(
  operations.attachVault,
  async ({ principal, client, params, body }, { services }) => {
    const intern = await services.interns.attach({ principal, client }, params.internId, body.vault_id);
    return { status: 200, body: presentIntern(intern) };
  },
);
