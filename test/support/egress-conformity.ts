import { createCaller } from './caller.ts';
import { auditAnswer } from './contract-audit.ts';
import { startTestHost, WITH_KEY } from './egress-scene.ts';
import type { Gateway } from './gateway.ts';
import { makeIntern, makeInternKey } from './interns.ts';

/** Sends a request by each method to a host, reads the log, and returns the operations that succeeded. */
export async function succeedInEgress(gateway: Gateway): Promise<string[]> {
  const host = await startTestHost();
  const caller = createCaller(gateway.origin, gateway.apiKey);
  const { id } = await makeIntern(caller);
  const { token } = await makeInternKey(caller, id);
  const [hosts, value] = [['api.host.localhost'], 'the-value-of-the-key'];
  await caller.call('PUT', `/vault/interns/${id}/secrets/key`, { body: { value, hosts } });
  const own = { ...WITH_KEY, 'sluice-authorization': `Bearer ${token}` };
  const reading = { authorization: `Bearer ${token}` };
  const egress = `/egress/https/${host.at()}/path`;
  const succeeded: string[] = [];
  for (const [method, path, headers] of [
    ['GET', egress, own],
    ['POST', egress, own],
    ['PUT', egress, own],
    ['PATCH', egress, own],
    ['DELETE', egress, own],
    ['GET', '/egress-log', reading],
  ] as const) {
    const url = new URL(`/api/v1/interns/${id}${path}`, gateway.origin);
    const response = await fetch(url, { method, headers });
    const operation = await auditAnswer(method, url, response);
    if (operation === undefined) throw new Error(`${method} ${path}: ${response.status}`);
    succeeded.push(operation);
  }
  await host.close();
  return succeeded;
}
