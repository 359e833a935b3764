/** Defines the limits of vaults, and the facts about a secret that may be shown. */
import type { EffectiveSecret, HeldSecret } from './effective-secrets.ts';

/** The most secrets in one vault. */
export const MAX_SECRETS_OF_VAULT = 1_000;
/** The most hosts of one secret. */
export const MAX_HOSTS_OF_SECRET = 100;
/** The longest value of a secret, in characters. */
export const MAX_SECRET_VALUE_LENGTH = 65_536;

/** The public facts about a secret. Its value is never shown. */
export interface SecretMetadata extends HeldSecret {
  /** Shows within one vault whether two values are equal. Null for secrets from before fingerprints. */
  fingerprint: string | null;
  /** The creation of the secret. Replacing the value does not change it. */
  createdAt: Date;
}

export type EffectiveMetadata = EffectiveSecret<SecretMetadata>;

/** Returns the context that the encrypted value of a secret is bound to. */
export function secretValueContext(vaultId: string, name: string): string {
  return `vault_secrets:${vaultId}:${name}`;
}

/** The longest name of a secret, in characters. */
export const MAX_SECRET_NAME_LENGTH = 255;

/** Lower-case letters, digits and single underscores; begins with a letter and does not end with an underscore. */
export const SECRET_NAME_PATTERN = /^[a-z](?:_?[a-z0-9])*$/;

/** Returns whether the text can name a secret. */
export function isSecretName(text: string): boolean {
  return text.length <= MAX_SECRET_NAME_LENGTH && SECRET_NAME_PATTERN.test(text);
}
