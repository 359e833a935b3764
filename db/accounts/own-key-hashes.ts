import type { Handle } from '../postgres/connection.ts';
import { text } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

/** Returns the hashes that belong to keys of the organization, including deleted ones. */
export async function findOwnKeyHashes(
  handle: Handle,
  organizationId: string,
  hashes: readonly string[],
): Promise<Set<string>> {
  const statement =
    'select hash from api_keys where organization_id = :organizationId and hash = any(:hashes)';
  const rows = await rowsOf(handle, { hash: text }, statement, { organizationId, hashes });
  return new Set(rows.map(({ hash }) => hash));
}
