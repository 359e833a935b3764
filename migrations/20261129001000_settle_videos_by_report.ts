/** Adds what vendors report as billed to video jobs, and the days on which operators were alerted. */
import type { Knex } from 'knex';

/**
 * `terms` are the prices of a job whose provider reports the units at its end, by endpoint. `report` are the units that
 * the provider reported for a submission, and `charge_nanos` is what a completed job costs by them. `billing_flag` is
 * the reason why an operator should look at a bill.
 *
 * `billing_alerts` has the last day on which an operator was alerted about an endpoint.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table video_jobs add column terms jsonb, add column billing_flag text;
    alter table job_submissions add column report jsonb, add column charge_nanos numeric(30, 0);
    create table billing_alerts (
      endpoint_id text primary key,
      alerted_on date not null
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table billing_alerts;
    alter table job_submissions drop column report, drop column charge_nanos;
    alter table video_jobs drop column terms, drop column billing_flag;
  `);
}
