/** Declares the operations that attach another intern's vault to an intern and detach it. */
import { defineOperations } from '../operation.ts';
import { borrowerExample, internExample } from './intern-examples.ts';
import { attachedVault, intern, internParams } from './intern.ts';
import { internOperation } from './interns.ts';

export const attachedVaultOperations = defineOperations(internOperation, {
  attachVault: {
    route: 'PUT /interns/{internId}/attached-vault',
    summary: 'Borrow the vault of another intern',
    description:
      'Attaches the vault of another intern, in place of an attached one. The intern may then use the secrets of that vault. Its own secrets take precedence over those with the same name. A vault that belongs to no intern of the workspace is a 404, the intern’s own vault a 400. An intern’s key gets a 403.',
    params: internParams,
    body: {
      schema: attachedVault,
      examples: {
        borrow: {
          summary: 'The vault of another intern',
          value: { vault_id: borrowerExample.attached_vault_id },
        },
      },
    },
    responses: { 200: { description: 'The intern as it is now.', schema: intern, example: borrowerExample } },
  },

  detachVault: {
    route: 'DELETE /interns/{internId}/attached-vault',
    summary: 'Give a borrowed vault back',
    description:
      'Detaches the vault. The intern then uses only the secrets of its own vault and of the workspace. Without an attached vault nothing changes. An intern’s key gets a 403.',
    params: internParams,
    responses: { 200: { description: 'The intern as it is now.', schema: intern, example: internExample } },
  },
});
