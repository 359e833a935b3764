import { newUuid } from '../../domain/ids.ts';
import type { WORKFLOWS } from '../../domain/runs.ts';
import type { Gateway } from './gateway.ts';

/** Retentions that are short enough for the partition below. */
export const SHORT_RETENTION = { VIDEO_JOB_RETENTION: '2d', GENERATION_RETENTION: '3d' };

const TODAY = `(now() at time zone 'UTC')::date`;

/** Scheduled workflows, each with a statement that finds a row while the workflow has something left to do. */
const LEFT = {
  expireBodies: `select from logged_bodies where expires_at <= now()`,
  forgetAnswers: `select from remembered_answers where created_at < now() - interval '24 hours'`,
  applyRetention: `select from webhook_deliveries where completed_at < now() - interval '90 days'`,
  closeRankings: `select where not exists (select from rankings_days where day = ${TODAY} - 2)`,
  keepPartitions: `select from pg_class where relname ~ '^generations_\\d{8}$'
    and to_date(right(relname, 8), 'YYYYMMDD') < ${TODAY} - 3`,
} satisfies Partial<Record<keyof typeof WORKFLOWS, string>>;

type Upkeep = keyof typeof LEFT;

export const UPKEEP = Object.keys(LEFT) as Upkeep[];

/** Adds a record for each of the workflows: an expired body, answer and delivery, and a day that is over. */
export async function addOutdatedRecords(gateway: Gateway): Promise<void> {
  const { database, organizationId, workspaceId } = gateway;
  await database.query(
    `insert into logged_bodies (generation_id, organization_id, workspace_id, object_key, expires_at)
     values ('gen-1-outdated', $1, $2, 'logged/outdated', now())`,
    [organizationId, workspaceId],
  );
  await database.query(
    `insert into remembered_answers (organization_id, operation, key, request_hash, status, json, created_at)
     values ($1, 'createVideo', 'outdated', 'hash', 202, '{}', now() - interval '25 hours')`,
    [organizationId],
  );
  await database.query(
    `insert into webhook_deliveries (id, organization_id, workspace_id, event_id, event_type, url, payload, status,
                                     completed_at)
     values ($1, $2, $3, 'outdated', 'test', 'https://app.example.com/', '{}', 'exhausted', now() - interval '91 days')`,
    [newUuid(), organizationId, workspaceId],
  );
  await database.query(`select ensure_ledger_partition(now() - interval '5 days')`);
}

/** Returns whether the workflow has something left to do. */
export async function isLeft(gateway: Gateway, workflow: Upkeep): Promise<boolean> {
  return (await gateway.database.query(LEFT[workflow])).rowCount === 1;
}
