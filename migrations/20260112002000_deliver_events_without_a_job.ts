import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/**
 * Lets the outbox hold events that are about no video job. Deliveries of such events are deleted in the order of their
 * end; those of a job go with the job.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table webhook_deliveries alter column job_id drop not null');
  await buildIndexes(knex, {
    webhook_deliveries_ended_without_job: 'webhook_deliveries (completed_at) where job_id is null',
  });
}

/** Deletes the deliveries that the version before cannot hold. */
export async function down(knex: Knex): Promise<void> {
  await dropIndexes(knex, ['webhook_deliveries_ended_without_job']);
  await knex.raw(`
    delete from webhook_attempts a using webhook_deliveries d where a.delivery_id = d.id and d.job_id is null;
    delete from webhook_deliveries where job_id is null;
    alter table webhook_deliveries alter column job_id set not null;
  `);
}
