import type { Knex } from 'knex';

/** Callers wait for a change of a job's status without asking again and again: each API process is told of it. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create function notify_video_job() returns trigger language plpgsql as $$
      begin
        perform pg_notify('sluice_video_jobs', new.id || ' ' || new.status);
        return null;
      end $$;
    create trigger video_jobs_notify after update of status on video_jobs
      for each row when (old.status <> new.status) execute function notify_video_job();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop trigger video_jobs_notify on video_jobs;
    drop function notify_video_job();
  `);
}
