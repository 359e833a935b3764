/** Opens the remote SCIM server of an organization for reading, with its decrypted token. */
import type { SealedSource } from '../../../db/directory/source-store.ts';
import { sourceTokenContext } from '../../../domain/directory/source.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import type { OutboundGuard } from '../../../platform/outbound-guard.ts';
import { createScimSource } from './scim/create-scim-source.ts';
import type { SourceTimes } from './scim/scim-client.ts';
import type { SourceReader } from './source-reader.ts';

/** Returns the reader of a pulled source. */
export type OpenSource = (source: SealedSource) => SourceReader;

export interface SourceOpenerOptions {
  guard: Pick<OutboundGuard, 'fetch'>;
  encryption: Pick<Encryption, 'open'>;
  /** The timeouts of sources; a minute per request when absent. */
  times?: SourceTimes;
}

export function createSourceOpener({ guard, encryption, times }: SourceOpenerOptions): OpenSource {
  return ({ organizationId, baseUrl, sealedToken }) => {
    if (baseUrl === null || sealedToken === null) throw new Error('only a pulled source can be opened');
    const token = encryption.open(sealedToken, sourceTokenContext(organizationId)).toString('utf8');
    return createScimSource({ guard, baseUrl, token, times });
  };
}
