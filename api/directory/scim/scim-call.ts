/** Converts requests to the SCIM server for the services, and refuses unsupported features. */
import type { ScimListQuery } from '../../../contract/directory/scim-requests.ts';
import type { DirectoryClient } from '../../../domain/directory/scim-token.ts';
import { namesVersion } from '../../../domain/directory/version-tag.ts';
import { AppError } from '../../../domain/errors.ts';
import type { ClientFacts } from '../../../domain/principal.ts';
import type { ScimWrite } from '../../../services/directory/scim-server/scim-write.ts';
import { SCIM_BASE } from '../../http/base-path.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import type { ApiSettings } from '../../http/route.ts';

/** Returns the URL of the SCIM server for identity providers. */
export function scimBaseUrl({ publicUrl }: ApiSettings): string {
  return publicUrl + SCIM_BASE;
}

interface WriteCall {
  directoryClient: DirectoryClient;
  client: ClientFacts;
  headers: { 'if-match'?: string | undefined };
  gone(): AbortSignal;
}

export function toScimWrite({ directoryClient, client, headers, gone }: WriteCall): ScimWrite {
  return {
    client: directoryClient,
    requestId: client.requestId,
    gone: gone(),
    ...withoutUndefined({ ifMatch: headers['if-match'] }),
  };
}

/** Returns whether the caller already has the version. */
export function isKnown(headers: { 'if-none-match'?: string | undefined }, version: number): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && namesVersion(known, version);
}

/** Throws a 501 for optional parts of RFC 7644 and RFC 9865 that the server does not support. */
export function refuseUnsupported({ sortBy, sortOrder, cursor }: ScimListQuery): void {
  const unsupported = Object.entries({ sortBy, sortOrder, cursor }).find(([, value]) => value !== undefined);
  if (unsupported === undefined) return;
  throw new AppError('not_implemented', { publicMessage: `Not implemented: ${unsupported[0]}` });
}
