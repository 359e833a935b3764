import type { Caller } from './caller.ts';
import { eventually } from './eventually.ts';

/** A webhook delivery as it is on the wire. */
export interface WireDelivery {
  id: string;
  job_id: string | null;
  workspace_id: string;
  event_id: string;
  event_type: string;
  url: string;
  status: string;
  replays: number;
  completed_at: string | null;
  attempts: {
    replay: number;
    attempt: number;
    outcome: string;
    status_code: number | null;
    reason: string | null;
  }[];
}

export async function listDeliveries(manager: Caller, query = ''): Promise<WireDelivery[]> {
  const response = await manager.call('GET', `/webhooks/deliveries?${query}`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: WireDelivery[] }).data;
}

/** The delivery that the query finds, once there is one. */
export function oneDelivery(manager: Caller, query: string): Promise<WireDelivery> {
  return eventually(`a delivery with ${query}`, async () => (await listDeliveries(manager, query))[0]);
}
