import { addIntern, addPersonalKey, sha256Of } from './daemon.ts';
import type { Gateway } from './gateway.ts';
import type { GoodRequest } from './scim-conformity.ts';

/** One request for each operation that lets an intern's daemon know who asks. */
export async function daemonRequests(gateway: Gateway): Promise<GoodRequest[]> {
  const { token } = await addPersonalKey(gateway);
  const base = '/api/v1/interns';
  const intern = `${base}/${await addIntern(gateway)}`;
  const body = { bodySha256: sha256Of('{}') };
  return [
    ['POST', `${intern}/daemon/sign`, token, body],
    ['POST', `${intern}/daemon-access/sign`, token, body],
    ['GET', `${base}/daemon/jwks.json`, token],
  ];
}
