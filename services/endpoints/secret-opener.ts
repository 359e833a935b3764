/** Decrypts the secrets of own keys, each version once. */
import { LRUCache } from 'lru-cache';
import { byokSecretContext } from '../../domain/endpoints/byok-credential.ts';
import type { CredentialSecret } from '../../domain/endpoints/credential-key.ts';
import type { OwnCredential } from '../../domain/endpoints/own-access.ts';
import { type Encryption, EncryptionError, keyIdOf } from '../../platform/encryption.ts';
import type { Logger } from '../../platform/logger.ts';
import { readCredential } from '../../providers/credentials.ts';

export interface SecretOpenerOptions {
  encryption: Pick<Encryption, 'open'>;
  logger: Pick<Logger, 'warn'>;
  /** The most secrets in memory; `unusedMs` is the time after which an unused one is dropped. */
  max: number;
  unusedMs: number;
}

/** Decrypts the secrets of credentials, each version once. */
export function createSecretOpener({ encryption, logger, max, unusedMs }: SecretOpenerOptions) {
  const opened = new LRUCache<string, string>({ max, ttl: unusedMs, updateAgeOnGet: true });
  const unopened = new LRUCache<string, true>({ max });

  const textOf = (credential: OwnCredential): string | undefined => {
    const version = versionOf(credential);
    const known = opened.get(version);
    if (known !== undefined || unopened.has(version)) return known;
    const { id, sealed } = credential;
    try {
      const text = encryption.open(sealed, byokSecretContext(id)).toString('utf8');
      opened.set(version, text);
      return text;
    } catch (error) {
      if (!(error instanceof EncryptionError)) throw error;
      unopened.set(version, true);
      const facts = { err: error, credentialId: id, keyId: keyIdOf(sealed) };
      logger.warn(facts, 'a credential cannot be opened; routing skips it');
      return undefined;
    }
  };

  return {
    /**
     * Returns the secret. Returns undefined when it cannot be decrypted, which is logged once, or when it does not have
     * the adapter's form.
     */
    open(adapter: string, credential: OwnCredential): CredentialSecret | undefined {
      const text = textOf(credential);
      const secret = text === undefined ? undefined : readCredential(adapter, text, 'customer');
      return typeof secret === 'string' ? undefined : secret;
    },
    /** Drops secrets that were not used recently. */
    purge: (): void => void opened.purgeStale(),
  };
}

/**
 * Identifies a credential's secret and its master key: a value that could not be opened may open under another master
 * key.
 */
export function versionOf({ id, secretVersion, sealed }: OwnCredential): string {
  return `${id}/${secretVersion}/${keyIdOf(sealed)}`;
}
