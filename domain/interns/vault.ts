import type { EffectiveSecret, HeldSecret } from './effective-secrets.ts';

/** The most secrets that one vault holds. */
export const MAX_SECRETS_OF_VAULT = 1_000;
/** The most hosts that one secret may be sent to. */
export const MAX_HOSTS_OF_SECRET = 100;
/** The longest value of a secret, in characters. */
export const MAX_SECRET_VALUE_LENGTH = 65_536;

/** Everything that is shown of a secret. Its value is never shown. */
export interface SecretMetadata extends HeldSecret {
  /** Tells within one vault whether two values are equal. Null for secrets of an earlier time. */
  fingerprint: string | null;
  /** Stays when the value is replaced. */
  createdAt: Date;
}

export type EffectiveMetadata = EffectiveSecret<SecretMetadata>;

/** Names the place of a secret's value, to which the encrypted value is bound. */
export function secretValueContext(vaultId: string, name: string): string {
  return `vault_secrets:${vaultId}:${name}`;
}
