/** Holds the facts that all writes to the SCIM server share, and checks the version that a write expects. */
import type { DirectoryClient } from '../../../domain/directory/scim-token.ts';
import { namesVersion, versionTag } from '../../../domain/directory/version-tag.ts';
import { AppError } from '../../../domain/errors.ts';
import type { PushCall } from '../push/push.ts';

/** A request of an identity provider that changes something. */
export interface ScimWrite {
  client: DirectoryClient;
  requestId: string;
  /** Aborts when the provider disconnects. */
  gone: AbortSignal;
  /** The header `If-Match`: the resource must have one of these versions. */
  ifMatch?: string | undefined;
}

export function toPushCall({ client, requestId, gone }: ScimWrite): PushCall {
  const { organizationId, tokenHash } = client;
  return { organizationId, actor: { organizationId, keyHash: tokenHash, requestId }, gone };
}

/** Throws a 412 when the request names other versions than the current one. */
export function requireVersion({ ifMatch }: ScimWrite, version: number): void {
  if (ifMatch === undefined || namesVersion(ifMatch, version)) return;
  throw new AppError('precondition_failed', {
    publicMessage: `The resource has changed: its version is ${versionTag(version)}`,
  });
}
