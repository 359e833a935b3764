import { text } from 'node:stream/consumers';
import type { LoggedBodyStore } from '../../../db/ledger/logged-body-store.ts';
import { AppError } from '../../../domain/errors.ts';
import type { LoggedBody } from '../../../domain/ledger/logged-body.ts';
import type { ReadScope } from '../../../domain/principal.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import type { ObjectStore } from '../../../platform/object-store.ts';
import { createDeadline } from '../../../platform/outbound-deadline.ts';
import { OutboundTimeoutError } from '../../../platform/outbound-error.ts';
import { openBody } from './sealed-body.ts';

export interface ReadBodyDeps {
  store: Pick<LoggedBodyStore, 'findKey'>;
  objectStore: Pick<ObjectStore, 'open'>;
  encryption: Pick<Encryption, 'open'>;
}

const READ_TIMEOUT_MS = 15_000;

/**
 * Returns the logged body of a generation. Null when nothing was logged, when the body has expired, when the reader may
 * not see it, or when it has not reached the object store or was lost on the way.
 */
export async function readBody(
  { store, objectStore, encryption }: ReadBodyDeps,
  scope: ReadScope,
  generationId: string,
): Promise<LoggedBody | null> {
  const key = await store.findKey(scope, generationId);
  if (key === null) return null;
  const sealed = await readObject(objectStore, key);
  return sealed === null ? null : openBody(encryption, generationId, sealed);
}

async function readObject(objectStore: ReadBodyDeps['objectStore'], key: string): Promise<string | null> {
  const deadline = createDeadline(READ_TIMEOUT_MS);
  const opening = objectStore.open(key);
  try {
    const opened = await deadline.limit(opening);
    if (opened === null) return null;
    return await deadline.limit(text(opened.body)).finally(() => opened.body.destroy());
  } catch (error) {
    if (!(error instanceof OutboundTimeoutError)) throw error;
    // Close the body if it opens after the timeout.
    opening.then(
      (late) => late?.body.destroy(),
      () => undefined,
    );
    throw new AppError('unavailable', { cause: error });
  } finally {
    deadline.clear();
  }
}
