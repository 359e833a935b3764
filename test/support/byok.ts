import type { ByokKeyRecord } from '../../contract/endpoints/byok-record.ts';
import { type Caller, errorOf } from './caller.ts';

/** Long enough to show its ends. */
export const SECRET = 'sk-first-0123456789-last';

export function postByokKey(
  manager: Caller,
  fields: object = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  return manager.call('POST', '/byok', { body: { provider: 'openai', key: SECRET, ...fields }, headers });
}

export async function makeByokKey(manager: Caller, fields: object = {}): Promise<ByokKeyRecord> {
  return byokKeyOf(await postByokKey(manager, fields), 201);
}

export function patchByokKey(manager: Caller, id: string, body: object): Promise<Response> {
  return manager.call('PATCH', `/byok/${id}`, { body });
}

export async function updateByokKey(manager: Caller, id: string, body: object): Promise<ByokKeyRecord> {
  return byokKeyOf(await patchByokKey(manager, id, body));
}

export async function getByokKey(manager: Caller, id: string): Promise<ByokKeyRecord> {
  return byokKeyOf(await manager.call('GET', `/byok/${id}`));
}

export function deleteByokKey(manager: Caller, id: string): Promise<Response> {
  return manager.call('DELETE', `/byok/${id}`);
}

export async function listByokKeys(
  manager: Caller,
  query = '',
): Promise<{ data: ByokKeyRecord[]; total_count: number }> {
  const response = await manager.call('GET', `/byok${query}`);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as { data: ByokKeyRecord[]; total_count: number };
}

/** Returns the issues of an answer that must be a 400, each as its path and its message. */
export async function byokIssuesOf(response: Response): Promise<string[]> {
  const { code, metadata } = await errorOf(response);
  if (code !== 400) throw new Error(`${code} in place of 400`);
  return metadata.issues!.map(({ path, message }) => `${path} ${message}`);
}

export async function byokKeyOf(response: Response, status = 200): Promise<ByokKeyRecord> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: ByokKeyRecord }).data;
}
