import { createCaller } from './caller.ts';
import type { Gateway } from './gateway.ts';
import { makeIntern, makeInternKey } from './interns.ts';
import type { GoodRequest } from './scim-conformity.ts';

/** One request for each operation on interns as records, and on their keys. */
export async function internRequests(gateway: Gateway): Promise<GoodRequest[]> {
  const { apiKey, managementKey } = gateway;
  const caller = createCaller(gateway.origin, apiKey);
  const [{ id }, lender] = [await makeIntern(caller), await makeIntern(caller)];
  const { record } = await makeInternKey(caller, id);
  const interns = '/api/v1/interns';
  const intern = `${interns}/${id}`;
  return [
    ['POST', interns, apiKey, { name: 'Audited' }],
    ['GET', interns, apiKey],
    ['GET', intern, apiKey],
    ['PATCH', intern, apiKey, { model: 'openai/gpt-5.1' }],
    ['PUT', `${intern}/status`, managementKey, { status: 'running' }],
    ['PUT', `${intern}/attached-vault`, apiKey, { vault_id: lender.vault_id }],
    ['DELETE', `${intern}/attached-vault`, apiKey],
    ['POST', `${intern}/keys`, apiKey, { name: 'Audited' }],
    ['GET', `${intern}/keys`, apiKey],
    ['DELETE', `${intern}/keys/${record.hash}`, apiKey],
    ['DELETE', intern, apiKey],
  ];
}
