/** Declares the answers about secrets, never with their values, and the list of connections. */
import { z } from 'zod';
import { SECRET_SCOPES } from '../../domain/interns/effective-secrets.ts';

/** Describes a secret without its value. */
export const vaultSecret = z
  .object({
    name: z.string(),
    hosts: z.array(z.string()).nullable().meta({
      description:
        'The only hosts that may receive the secret. Null: any host, for a secret that was stored before secrets had hosts.',
    }),
    fingerprint: z.string().nullable().meta({
      description:
        'Equal for equal values of one vault, and different in every other vault. Null: the secret was stored before there were fingerprints.',
    }),
    created_at: z.iso
      .datetime()
      .meta({ description: 'The creation of the secret. Replacing the value does not change it.' }),
  })
  .meta({ id: 'VaultSecret' });

export const effectiveSecret = vaultSecret
  .extend({
    scope: z.enum(SECRET_SCOPES).meta({
      description: 'The vault that the secret comes from: the first of these with a secret of this name.',
    }),
  })
  .meta({ id: 'EffectiveSecret' });

const hasMore = z.boolean().meta({ description: 'True if more secrets follow this page.' });

export const vaultSecretList = z
  .object({ data: z.array(vaultSecret), has_more: hasMore })
  .meta({ id: 'VaultSecretList' });

export const effectiveSecretList = z
  .object({ data: z.array(effectiveSecret), has_more: hasMore })
  .meta({ id: 'EffectiveSecretList' });

export const vaultSecretAnswer = z.object({ data: vaultSecret }).meta({ id: 'VaultSecretAnswer' });

export const copiedSecrets = z.object({ data: z.array(vaultSecret) }).meta({ id: 'CopiedVaultSecrets' });

export const connectionList = z
  .object({
    data: z
      .array(z.object({ key: z.string() }))
      .meta({ description: 'Always empty: Sluice has no connections.' }),
  })
  .meta({ id: 'InternConnectionList' });

export type VaultSecretRecord = z.output<typeof vaultSecret>;
export type EffectiveSecretRecord = z.output<typeof effectiveSecret>;
