import { copyVaultSecretsToIntern } from './copy-vault-secrets-to-intern.ts';
import { deleteInternVaultSecret } from './delete-intern-vault-secret.ts';
import { deleteVaultSecret } from './delete-vault-secret.ts';
import { listEffectiveSecrets } from './list-effective-secrets.ts';
import { listInternConnections } from './list-intern-connections.ts';
import { listInternVaultSecrets } from './list-intern-vault-secrets.ts';
import { listVaultSecrets } from './list-vault-secrets.ts';
import { storeInternVaultSecret } from './store-intern-vault-secret.ts';
import { storeVaultSecret } from './store-vault-secret.ts';

/** Lists the routes of the secrets of workspaces and interns. */
export const vaultRoutes = {
  listVaultSecrets,
  storeVaultSecret,
  deleteVaultSecret,
  listInternVaultSecrets,
  storeInternVaultSecret,
  deleteInternVaultSecret,
  copyVaultSecretsToIntern,
  listEffectiveSecrets,
  listInternConnections,
};
