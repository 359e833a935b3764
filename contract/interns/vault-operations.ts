import { listEffectiveSecrets, listInternConnections } from './vault-effective.ts';
import {
  copyVaultSecretsToIntern,
  deleteInternVaultSecret,
  listInternVaultSecrets,
  storeInternVaultSecret,
} from './vault-intern-secrets.ts';
import { deleteVaultSecret, listVaultSecrets, storeVaultSecret } from './vault-secrets.ts';

/** The operations on the secrets of workspaces and interns. */
export const vaultOperations = {
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
