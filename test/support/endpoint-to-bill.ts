import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Check } from '../../domain/endpoints/validation.ts';
import { nanosToUsd } from '../../domain/money.ts';
import type { Caller } from './caller.ts';
import { askChat, completed, ledgerRow } from './chat.ts';
import type { Gateway } from './gateway.ts';
import { dataOf, endpointDraft, postEndpoint } from './private-endpoints.ts';

/** The prices of the endpoints, in dollars per token. */
const PROMPT = 0.00001;
const COMPLETION = 0.00002;

/** The answer to a create that asks for activation: the active endpoint, or the draft with its checks. */
export interface Creation {
  error?: { code: number; metadata: { reason: string } };
  data: { id: string; status: string } & {
    endpoint: { id: string; status: string };
    validation: { passed: boolean; checks: Pick<Check, 'name' | 'passed' | 'reason'>[] };
  };
}

/** Stores a key of a vendor for the default workspace. Returns the id of the credential. */
export async function bringKey(manager: Caller, body: object): Promise<string> {
  const { id } = await dataOf<{ id: string }>(await manager.call('POST', '/byok', { body }), 201);
  return id;
}

/** Creates an endpoint with a price and has it activated with the credentials of the default workspace. */
export async function createActivated(
  { workspaceId }: Pick<Gateway, 'workspaceId'>,
  manager: Caller,
  fields: object,
): Promise<{ status: number; answer: Creation }> {
  const draft = endpointDraft({
    pricing: { prompt: `${PROMPT.toFixed(5)}`, completion: `${COMPLETION.toFixed(5)}` },
    activate: { workspace_id: workspaceId },
    ...fields,
  });
  const response = await postEndpoint(manager, draft);
  return { status: response.status, answer: (await response.json()) as Creation };
}

/** Asks the question at this endpoint only. Fails unless the answer is billed at the price of the endpoint. */
export async function billChat(gateway: Gateway, endpointId: string, question: string): Promise<void> {
  const messages = [{ role: 'user', content: question }];
  const answer = await completed(await askChat(gateway, { messages, provider: { only: [endpointId] } }));
  const row = await ledgerRow(gateway, answer.id);
  const { prompt_tokens: prompt, completion_tokens: completion, cost, cost_details: costs } = answer.usage!;
  ok(prompt > 0 && completion > 0, 'the upstream counts its tokens');
  const price = nanosToUsd(BigInt(row.cost_nanos));
  ok(
    Math.abs(price - (prompt * PROMPT + completion * COMPLETION)) < 1e-9,
    'the price is that of the endpoint',
  );
  strictEqual(row.is_byok, true);
  deepStrictEqual([cost, costs!.upstream_inference_cost], [0, price]);
}
