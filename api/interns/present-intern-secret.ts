import type { EffectiveSecretRecord, VaultSecretRecord } from '../../contract/interns/vault-record.ts';
import type { EffectiveMetadata, SecretMetadata } from '../../domain/interns/vault.ts';

/** Presents a secret with every field: published clients reject a record that lacks one. */
export function presentSecret({ name, hosts, fingerprint, createdAt }: SecretMetadata): VaultSecretRecord {
  return {
    name,
    hosts: hosts === null ? null : [...hosts],
    fingerprint,
    created_at: createdAt.toISOString(),
  };
}

export function presentEffectiveSecret(secret: EffectiveMetadata): EffectiveSecretRecord {
  return { ...presentSecret(secret), scope: secret.scope };
}
