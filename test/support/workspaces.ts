import type { Caller } from './caller.ts';

/** A workspace as it is on the wire. */
export interface WireWorkspace {
  id: string;
  name: string;
  slug: string;
  created_at: string;
  updated_at: string | null;
  default_guardrail_id: string;
  default_callback_url: string | null;
}

export async function getWorkspace(manager: Caller, reference: string): Promise<WireWorkspace> {
  return workspaceOf(await manager.call('GET', `/workspaces/${reference}`));
}

export async function updateWorkspace(
  manager: Caller,
  reference: string,
  body: object,
): Promise<WireWorkspace> {
  return workspaceOf(await manager.call('PATCH', `/workspaces/${reference}`, { body }));
}

async function workspaceOf(response: Response): Promise<WireWorkspace> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: WireWorkspace }).data;
}
