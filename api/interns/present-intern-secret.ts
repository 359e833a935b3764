import type { EffectiveSecretRecord, VaultSecretRecord } from '../../contract/interns/vault-record.ts';
import type { EffectiveMetadata, SecretMetadata } from '../../domain/interns/vault.ts';

/** Shows every field, whether set or not: published clients refuse a record that lacks one. */
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
