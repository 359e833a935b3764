import type { Gateway } from './gateway.ts';
import { eventually } from './eventually.ts';
import { summed } from './summed.ts';

/** What is on record of a job, beyond what its customer sees. */
export interface JobFacts {
  status: string;
  failureCode: string | null;
  error: string | null;
  /** The states of its submissions, in order. */
  submissions: string[];
  generations: { status: string; costNanos: string; cancelled: boolean }[];
  /** Event ids of its webhooks. */
  events: string[];
  storedOutputs: number;
}

export async function factsOf(gateway: Gateway, jobId: string): Promise<JobFacts> {
  const { rows } = await gateway.database.query<JobFacts>(
    `select status, failure_code "failureCode", error,
            array(select state from job_submissions where job_id = j.id order by n) submissions,
            (select coalesce(json_agg(json_build_object('status', g.status, 'costNanos', g.cost_nanos::text,
                                                        'cancelled', g.status = 'cancelled')), '[]')
               from generations g where g.id = j.generation_id) generations,
            array(select event_id from webhook_deliveries where job_id = j.id) events,
            (select count(*)::int from job_outputs where job_id = j.id) "storedOutputs"
     from video_jobs j where id = $1`,
    [jobId],
  );
  const [facts] = rows;
  if (facts === undefined) throw new Error(`no job ${jobId}`);
  return facts;
}

/** The prices of open jobs, in nanodollars: what is reserved although nothing was billed yet. */
export async function reservedNanos(gateway: Gateway): Promise<bigint> {
  const { rows } = await gateway.database.query<{ sum: string }>(
    `select coalesce(sum(price_nanos), 0) sum from video_jobs where status in ('pending', 'in_progress')`,
  );
  return BigInt(rows[0]!.sum);
}

export interface Sums {
  usageNanos: string;
  requests: string;
}

/** The ledger, and the counters that must agree with it. */
export async function ledgerSums(gateway: Gateway): Promise<Record<string, Sums>> {
  await summed(gateway.database);
  const { rows } = await gateway.database.query<Sums & { name: string }>(
    `select 'generations' name, coalesce(sum(cost_nanos), 0) "usageNanos", count(*) requests from generations
     union all select 'organization', coalesce(sum(usage_nanos), 0), coalesce(sum(request_count), 0)
       from organization_usage_totals
     union all select 'keys', coalesce(sum(usage_nanos), 0), coalesce(sum(request_count), 0) from key_usage_totals
     union all select 'days', coalesce(sum(usage_nanos), 0), coalesce(sum(request_count), 0) from key_usage`,
  );
  return Object.fromEntries(rows.map(({ name, ...sums }) => [name, sums]));
}

export interface DeliveryFacts {
  id: string;
  status: string;
  replays: number;
  /** `replay.attempt outcome status`, in order. */
  attempts: string[];
}

export async function deliveryOf(gateway: Gateway, jobId: string): Promise<DeliveryFacts> {
  const { rows } = await gateway.database.query<DeliveryFacts>(
    `select id, status, replays,
            array(select concat_ws(' ', replay || '.' || attempt, outcome, coalesce(status_code::text, reason))
                  from webhook_attempts where delivery_id = d.id order by replay, attempt) attempts
     from webhook_deliveries d where job_id = $1`,
    [jobId],
  );
  const [delivery] = rows;
  if (delivery === undefined) throw new Error(`no webhook of ${jobId}`);
  return delivery;
}

/** The delivery once its run is through with it. */
export function deliveryEnded(gateway: Gateway, jobId: string): Promise<DeliveryFacts> {
  return eventually(`the end of the webhook of ${jobId}`, async () => {
    const delivery = await deliveryOf(gateway, jobId).catch(() => undefined);
    return delivery === undefined || delivery.status === 'pending' ? undefined : delivery;
  });
}
