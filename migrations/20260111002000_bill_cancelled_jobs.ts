import type { Knex } from 'knex';
import { WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/**
 * A cancelled job may cost something: what was noted in `cancel_cost_nanos` when its provider was asked to stop.
 *
 * A check is validated in a statement of its own: adding a valid one would read the whole table while writers wait.
 * Every step may be repeated.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table job_submissions add column if not exists cancel_cost_nanos numeric(30, 0)');
  await replaceCheck(
    knex,
    'video_jobs_check1',
    'video_jobs_cost_check',
    `case status when 'completed' then cost_nanos is not null when 'cancelled' then true else cost_nanos is null end`,
  );
}

/** The ledger keeps what cancelled jobs cost. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`update video_jobs set cost_nanos = null where status = 'cancelled'`);
  await replaceCheck(
    knex,
    'video_jobs_cost_check',
    'video_jobs_check1',
    `(cost_nanos is not null) = (status = 'completed')`,
  );
  await knex.raw('alter table job_submissions drop column if exists cancel_cost_nanos');
}

async function replaceCheck(knex: Knex, old: string, name: string, rule: string): Promise<void> {
  await knex.raw(`
    alter table video_jobs drop constraint if exists ${old}, drop constraint if exists ${name},
      add constraint ${name} check (${rule}) not valid
  `);
  await knex.raw(`alter table video_jobs validate constraint ${name}`);
}
