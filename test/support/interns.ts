import { expect } from '@jest/globals';
import { type Caller, createCaller } from './caller.ts';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
import { type MadeKey, madeOf } from './keys.ts';

/** An intern as it is on the wire. */
export interface WireIntern {
  id: string;
  name: string;
  description: string | null;
  instructions: string | null;
  model: string | null;
  status: string;
  progress: { step_label: string; step_number: number; total_steps: number } | null;
  hostname: string | null;
  last_failure_message: string | null;
  vault_id: string;
  attached_vault_id: string | null;
  workspace_id: string;
  created_at: string;
  updated_at: string;
}

export interface WireInternPage {
  data: WireIntern[];
  has_more: boolean;
  next_cursor?: string;
}

/** A gateway whose organization is in the programme of interns. */
export function startInternGateway({ bootstrap, ...options }: GatewayOptions = {}): Promise<Gateway> {
  return startGateway({
    ...options,
    bootstrap: { entitlements: ['interns'], ...bootstrap },
  });
}

let made = 0;

export function postIntern(
  caller: Caller,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  made += 1;
  return caller.call('POST', '/interns', { body: { name: `Intern ${made}`, ...body }, headers });
}

export async function makeIntern(caller: Caller, body: object = {}): Promise<WireIntern> {
  return internOf(await postIntern(caller, body), 201);
}

export async function internOf(response: Response, status = 200): Promise<WireIntern> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text) as WireIntern;
}

export async function readIntern(caller: Caller, id: string): Promise<WireIntern> {
  return internOf(await caller.call('GET', `/interns/${id}`));
}

export async function listInterns(caller: Caller, query = ''): Promise<WireInternPage> {
  const response = await caller.call('GET', `/interns${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as WireInternPage;
}

/** Makes a key of the intern. */
export async function makeInternKey(caller: Caller, id: string, body: object = {}): Promise<MadeKey> {
  return madeOf(await caller.call('POST', `/interns/${id}/keys`, { body: { name: 'A key', ...body } }));
}

/** Returns whoever calls with a new key of the intern. */
export async function callerOfIntern(gateway: Gateway, manager: Caller, id: string): Promise<Caller> {
  return createCaller(gateway.origin, (await makeInternKey(manager, id)).token);
}
