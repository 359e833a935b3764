import type pg from 'pg';
import { newUuid } from '../../domain/ids.ts';
import { SHARDS } from '../../domain/shard.ts';

/** A workspace of an organization of its own, logged from now on. Returns both ids. */
export async function addLoggedWorkspace(
  database: pg.Pool | pg.Client,
  { isLogged = true } = {},
): Promise<{ organizationId: string; workspaceId: string }> {
  const organizationId = newUuid();
  const workspaceId = newUuid();
  await database.query(`insert into organizations (id, name) values ($1, 'O')`, [organizationId]);
  await database.query(
    `insert into workspaces (id, organization_id, name, slug) values ($1, $2, 'W', 'w-' || left($1::uuid::text, 8))`,
    [workspaceId, organizationId],
  );
  await database.query(
    `insert into broadcast_heads (workspace_id, shard, is_logged) select $1, n, $2 from generate_series(0, $3) n`,
    [workspaceId, isLogged, SHARDS - 1],
  );
  return { organizationId, workspaceId };
}
