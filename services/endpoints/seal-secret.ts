/** Prepares a customer's provider key for storage: encrypts it and derives the label that may be shown. */
import type { SealedCredential } from '../../db/endpoints/credential-rows.ts';
import { byokSecretContext } from '../../domain/endpoints/byok-credential.ts';
import { newUuid } from '../../domain/ids.ts';
import { maskSecret } from '../../domain/masked-secret.ts';
import type { Encryption } from '../../platform/encryption.ts';

/** The columns of a credential that change with its secret. */
export type SecretColumns = Pick<SealedCredential, 'sealed' | 'secretVersion' | 'label' | 'origin'>;

/** Encrypts a key for one credential. The label is the mask of `apiKey`, which may be a part of the key. */
export function sealSecret(
  encryption: Pick<Encryption, 'seal'>,
  id: string,
  { key, apiKey, origin }: { key: string; apiKey: string; origin: string | null },
): SecretColumns {
  const sealed = encryption.seal(key, byokSecretContext(id));
  return { sealed, secretVersion: newUuid(), label: maskSecret(apiKey), origin };
}
