import { expect } from '@jest/globals';
import { type Caller, createCaller } from './caller.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';

export interface WireKey {
  id: number;
  hash: string;
  name: string;
  label: string;
  disabled: boolean;
  created_at: string;
  updated_at: string | null;
  expires_at: string | null;
  last_used_at: string | null;
  creator_user_id: string | null;
  external_user: string | null;
  workspace_id: string;
  limit: number | null;
  limit_remaining: number | null;
  limit_reset: string | null;
  include_byok_in_limit: boolean;
  usage: number;
  usage_daily: number;
}

export interface MadeKey {
  record: WireKey;
  token: string;
}

export function postKey(
  manager: Caller,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  return manager.call('POST', '/keys', { body: { name: 'A key', ...body }, headers });
}

export async function makeKey(manager: Caller, body: object = {}): Promise<MadeKey> {
  return madeOf(await postKey(manager, body));
}

export async function madeOf(response: Response): Promise<MadeKey> {
  expect(response.status).toBe(201);
  const { data, key } = (await response.json()) as { data: WireKey; key: string };
  return { record: data, token: key };
}

export async function keyOf(response: Response): Promise<WireKey> {
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: WireKey }).data;
}

export async function readKey(manager: Caller, hash: string): Promise<WireKey> {
  return keyOf(await manager.call('GET', `/keys/${hash}`));
}

export function patchKey(manager: Caller, hash: string, body: unknown): Promise<Response> {
  return manager.call('PATCH', `/keys/${hash}`, { body });
}

export async function listKeys(manager: Caller, query = ''): Promise<WireKey[]> {
  const response = await manager.call('GET', `/keys${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: WireKey[] }).data;
}

/** What an operation that reads no key from the database, once it is known, answers to whoever has the token. */
export async function statusOf(gateway: Pick<Gateway, 'origin'>, token: string): Promise<number> {
  return (await createCaller(gateway.origin, token).call('GET', '/videos/models')).status;
}

/** Waits until each key gets this answer: a replica learns of a change within a second. */
export async function statusesBecome(
  gateway: Pick<Gateway, 'origin'>,
  tokens: readonly string[],
  status: number,
): Promise<void> {
  await eventually(`every key answered ${status}`, async () => {
    const statuses = await Promise.all(tokens.map((token) => statusOf(gateway, token)));
    return statuses.every((one) => one === status) || undefined;
  });
}
