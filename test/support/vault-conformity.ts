import { createCaller } from './caller.ts';
import type { Gateway } from './gateway.ts';
import { makeIntern } from './interns.ts';
import type { GoodRequest } from './scim-conformity.ts';

/** One request for each operation on secrets. */
export async function vaultRequests(gateway: Gateway): Promise<GoodRequest[]> {
  const { apiKey } = gateway;
  const { id } = await makeIntern(createCaller(gateway.origin, apiKey));
  const secrets = '/api/v1/vault/secrets';
  const intern = `/api/v1/vault/interns/${id}`;
  const body = { value: 'an audited value', hosts: ['api.example.com'] };
  return [
    ['PUT', `${secrets}/audited`, apiKey, body],
    ['GET', secrets, apiKey],
    ['PUT', `${intern}/secrets/own`, apiKey, body],
    ['POST', `${intern}/secrets/copy`, apiKey, { names: ['audited'] }],
    ['GET', `${intern}/secrets`, apiKey],
    ['GET', `${intern}/effective-secrets`, apiKey],
    ['GET', `${intern}/connections`, apiKey],
    ['DELETE', `${intern}/secrets/own`, apiKey],
    ['DELETE', `${secrets}/audited`, apiKey],
  ];
}
