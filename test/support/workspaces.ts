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
  budget_alert_thresholds: number[];
  webhook_event_types: string[] | null;
  webhook_failing_since: string | null;
}

export function postWorkspace(
  manager: Caller,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return manager.call('POST', '/workspaces', { body, headers });
}

export async function makeWorkspace(
  manager: Caller,
  slug: string,
  settings: object = {},
): Promise<WireWorkspace> {
  return workspaceOf(await postWorkspace(manager, { name: slug, slug, ...settings }), 201);
}

export async function listWorkspaces(
  manager: Caller,
  query = '',
): Promise<{ data: WireWorkspace[]; total_count: number }> {
  const response = await manager.call('GET', `/workspaces${query}`);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as { data: WireWorkspace[]; total_count: number };
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

export async function workspaceOf(response: Response, status = 200): Promise<WireWorkspace> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: WireWorkspace }).data;
}
