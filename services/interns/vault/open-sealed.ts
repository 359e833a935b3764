import { AppError } from '../../../domain/errors.ts';
import { type Encryption, EncryptionError, keyIdOf } from '../../../platform/encryption.ts';
import type { Logger } from '../../../platform/logger.ts';

export interface OpenSealedDeps {
  encryption: Pick<Encryption, 'open'>;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Opens a secret or the key of a vault. Throws 503 for a value that cannot be opened, and logs the id of the required
 * master key.
 */
export function openSealed({ encryption, logger }: OpenSealedDeps, sealed: string, context: string): Buffer {
  try {
    return encryption.open(sealed, context);
  } catch (error) {
    if (!(error instanceof EncryptionError)) throw error;
    const facts = { err: error, place: context, keyId: keyIdOf(sealed) };
    logger.warn(facts, 'a secret or the key of its vault cannot be opened');
    throw new AppError('unavailable', { cause: error });
  }
}
