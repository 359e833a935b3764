import type { Caller } from './caller.ts';
import { eventually } from './eventually.ts';

/** A job as it is on the wire. */
export interface WireJob {
  id: string;
  polling_url: string;
  status: string;
  /** This and the fields up to `webhook` are missing in the answer to POST /videos. */
  model?: string;
  created_at?: string;
  started_at?: string | null;
  progress?: number | null;
  waiting?: { reason: string; since: string; next_try_at: string | null } | null;
  deadline_at?: string;
  cancel_requested_at?: string | null;
  webhook?: {
    state: string;
    attempts: number;
    last_status: number | null;
    last_outcome: string | null;
    last_reason: string | null;
  } | null;
  generation_id?: string;
  error?: string;
  unsigned_urls?: string[];
  urls?: string[];
  urls_expire_at?: number;
  expires_at?: number;
  usage?: { cost: number; is_byok: boolean; units?: Record<string, number>; is_estimated?: true };
}

export async function submit(
  caller: Caller,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<WireJob> {
  const response = await caller.call('POST', '/videos', {
    body: { model: 'local/clip-canned', prompt: 'a test', ...body },
    headers,
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as WireJob;
}

export async function getJob(caller: Caller, jobId: string): Promise<WireJob> {
  const response = await caller.call('GET', `/videos/${jobId}`);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as WireJob;
}

const OPEN = new Set(['pending', 'in_progress']);

/** The job once it has ended. */
export function ended(caller: Caller, jobId: string): Promise<WireJob> {
  return eventually(`the end of ${jobId}`, async () => {
    const job = await getJob(caller, jobId);
    return OPEN.has(job.status) ? undefined : job;
  });
}

export function inStatus(caller: Caller, jobId: string, status: string): Promise<WireJob> {
  return eventually(`${jobId} being ${status}`, async () => {
    const job = await getJob(caller, jobId);
    return job.status === status ? job : undefined;
  });
}
