import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** Returns the hashes that belong to keys of the organization, including deleted ones. */
export async function findOwnKeyHashes(
  handle: Handle,
  organizationId: string,
  hashes: readonly string[],
): Promise<Set<string>> {
  const rows = await uncheckedRowsOf<{ hash: string }>(
    handle,
    'select hash from api_keys where organization_id = ? and hash = any(?)',
    [organizationId, [...hashes]],
  );
  return new Set(rows.map(({ hash }) => hash));
}
