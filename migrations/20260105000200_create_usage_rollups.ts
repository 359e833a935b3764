import type { Knex } from 'knex';

const LATENCY_BOUNDS = `{10,16,25,40,63,100,160,250,400,630,1000,1600,2500,4000,6300,10000,16000,25000,40000,63000,100000,160000,250000,400000}`;
const THROUGHPUT_BOUNDS = `{1,2,3,4,6,10,16,25,40,63,100,160,250,400,630,1000,1600,2500}`;

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const LATENCY = range(25);
const THROUGHPUT = range(19);

/**
 * What was used in each UTC hour and day, by all that analytics groups by at once (design: §5, §10). Kept for
 * ever. The buckets of the histograms are columns: arrays cost as much to write, and fifteen times
 * as much to add up. What they mean: domain/ledger/histogram.ts.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table hourly_usage (
      bucket timestamptz not null,
      key_id bigint not null,
      organization_id uuid not null,
      workspace_id uuid not null,
      tokens_prompt bigint not null,
      tokens_completion bigint not null,
      tokens_reasoning bigint not null,
      tokens_cache_read bigint not null,
      media_prompt bigint not null,
      media_completion bigint not null,
      latency_ms bigint not null,
      throughput_ms bigint not null,
      throughput_tokens bigint not null,
      request_count integer not null,
      error_count integer not null,
      cancelled_count integer not null,
      latency_count integer not null,
      ${LATENCY.map((n) => `latency_${n} integer not null,`).join('\n')}
      ${THROUGHPUT.map((n) => `throughput_${n} integer not null,`).join('\n')}
      api_type api_type not null,
      shard smallint not null,
      is_byok boolean not null,
      model text collate "C" not null,
      provider text collate "C" not null,
      usage_nanos numeric(30, 0) not null,
      byok_usage_nanos numeric(30, 0) not null,
      primary key (workspace_id, bucket, key_id, model, provider, api_type, is_byok, shard)
    ) with (fillfactor = 80);
    create table daily_usage (like hourly_usage including constraints including storage) with (fillfactor = 80);
    alter table daily_usage
      add primary key (workspace_id, bucket, key_id, model, provider, api_type, is_byok, shard);
    comment on column hourly_usage.error_count is 'Failed and expired; cancelled ones are counted apart.';
    comment on column hourly_usage.latency_ms is 'The sum over the latency_count whose latency is known.';
    comment on column hourly_usage.throughput_ms is
      'The time of those that made tokens, which are throughput_tokens in all.';
  `);
  for (const [table, unit] of [
    ['hourly_usage', 'hour'],
    ['daily_usage', 'day'],
  ]) {
    await knex.schema.raw(`
      insert into ${table}
      select date_trunc('${unit}', settled_at, 'UTC'), key_id, organization_id, workspace_id,
        coalesce(sum(tokens_prompt), 0), coalesce(sum(tokens_completion), 0), coalesce(sum(tokens_reasoning), 0),
        coalesce(sum(tokens_cache_read), 0), coalesce(sum(media_prompt), 0), coalesce(sum(media_completion), 0),
        coalesce(sum(latency_ms), 0), coalesce(sum(generation_ms) filter (where throughput is not null), 0),
        coalesce(sum(tokens_completion) filter (where throughput is not null), 0),
        count(*), count(*) filter (where status in ('failed', 'expired')),
        count(*) filter (where status = 'cancelled'), count(latency_ms),
        ${LATENCY.map((n) => `count(*) filter (where latency = ${n}),`).join('\n')}
        ${THROUGHPUT.map((n) => `count(*) filter (where throughput = ${n}),`).join('\n')}
        api_type, 0, is_byok, model, provider,
        sum(case when is_byok then 0 else cost_nanos end), sum(case when is_byok then cost_nanos else 0 end)
      from (
        select *, width_bucket(latency_ms, '${LATENCY_BOUNDS}'::integer[]) latency,
          case when generation_ms > 0 and tokens_completion > 0 then
            width_bucket(tokens_completion * bigint '1000' / generation_ms, '${THROUGHPUT_BOUNDS}'::bigint[])
          end throughput
        from generations) g
      group by date_trunc('${unit}', settled_at, 'UTC'), organization_id, workspace_id, key_id, model, provider,
        api_type, is_byok;
    `);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('drop table hourly_usage, daily_usage');
}
