import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, setKeyDisabled } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import {
  addIntern,
  addPersonalKey,
  askProof,
  BODY,
  proofFor,
  publishedKeys,
  sha256Of,
  startDaemonGateway,
  SUBJECT,
  verifyAsSidecar,
  type WireProof,
} from '../support/daemon.ts';
import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';
import { createScimClient, makeScimToken, userOf } from '../support/scim.ts';
import { verifyInvocation } from '../../examples/verify-invocation/verify-invocation.ts';

let gateway: Gateway;
let internId: string;
let token: string;

beforeAll(async () => {
  gateway = await startDaemonGateway();
  internId = await addIntern(gateway);
  ({ token } = await addPersonalKey(gateway));
});
afterAll(() => gateway.close());

function secondsOf({ 'x-svc-invoke-timestamp': timestamp }: WireProof): number {
  return Number(timestamp);
}

describe('a proof', () => {
  test('names the caller, and the sidecar accepts it once', async () => {
    const response = await askProof(gateway, token, internId);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const proof = (await response.json()) as WireProof;
    expect(Object.keys(proof).toSorted()).toEqual([
      'x-svc-invoke-signature',
      'x-svc-invoke-timestamp',
      'x-svc-invoke-user',
    ]);
    expect(Math.abs(secondsOf(proof) - Date.now() / 1_000)).toBeLessThan(60);
    const seen = new Map();
    const accepted = { user: SUBJECT, time: secondsOf(proof) };
    expect(await verifyAsSidecar(gateway, proof, internId, seen)).toEqual(accepted);
    expect(await verifyAsSidecar(gateway, proof, internId, seen)).toEqual({ reason: 'replayed' });
  });

  test('holds for one body, intern, user and second, and for 300 seconds both ways', async () => {
    const headers = await proofFor(gateway, token, internId);
    const keys = await publishedKeys(gateway);
    const right = { headers, body: Buffer.from(BODY), internId, keys };
    const time = secondsOf(headers);
    const reasonFor = (changes: object): unknown => verifyInvocation({ ...right, now: time, ...changes });
    const withHeader = (name: string, value: string): object => ({ headers: { ...headers, [name]: value } });
    const forged = { reason: 'forged' };
    expect(reasonFor({ body: Buffer.from(BODY.replace('Good', 'good')) })).toEqual(forged);
    expect(reasonFor({ internId: await addIntern(gateway) })).toEqual(forged);
    expect(reasonFor(withHeader('x-svc-invoke-user', `${SUBJECT.slice(0, -1)}n`))).toEqual(forged);
    expect(reasonFor(withHeader('x-svc-invoke-timestamp', `${time + 1}`))).toEqual(forged);
    for (const now of [time - 300, time + 300]) expect(reasonFor({ now })).toEqual({ user: SUBJECT, time });
    expect(reasonFor({ now: time - 301 })).toEqual({ reason: 'early' });
    expect(reasonFor({ now: time + 301 })).toEqual({ reason: 'expired' });
  });

  test("names the key's identity even if the request claims another", async () => {
    const claims = '"user":"mallory","identitySubject":"mallory","x-svc-invoke-user":"mallory"';
    // As text: an object literal would not send the field `__proto__`.
    const body = `{"bodySha256":"${sha256Of(BODY)}",${claims},"route":"/chat","__proto__":{${claims}}}`;
    const headers = { 'x-svc-invoke-user': 'mallory', 'x-svc-invoke-timestamp': '1' };
    const response = await askProof(gateway, token, internId, body, headers);
    const proof = (await response.json()) as WireProof;
    expect(await verifyAsSidecar(gateway, proof, internId)).toMatchObject({ user: SUBJECT });
  });

  test('names the intern in lower case for any spelling of the path', async () => {
    const proof = await proofFor(gateway, token, internId.toUpperCase());
    expect(await verifyAsSidecar(gateway, proof, internId)).toMatchObject({ user: SUBJECT });
  });

  test('can be signed for a management key of the workspace', async () => {
    const key = await addKey(gateway, { kind: 'management', identitySubject: 'a'.repeat(255) });
    const proof = await proofFor(gateway, key.token, internId);
    expect(await verifyAsSidecar(gateway, proof, internId)).toMatchObject({ user: 'a'.repeat(255) });
  });
});

describe('the former path of proofs', () => {
  test('signs, and names the new path in every response', async () => {
    const caller = createCaller(gateway.origin, token);
    const path = `/interns/${internId}/daemon-access/sign`;
    const body = { bodySha256: sha256Of(BODY) };
    const answers = [
      await caller.call('POST', path, { body }),
      await caller.call('POST', path, { body: {} }),
      await createCaller(gateway.origin).call('POST', path, { body }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 401]);
    for (const { headers } of answers) {
      expect(headers.get('deprecation')).toBe('@1795392000');
      expect(headers.get('link')).toBe(`</api/v1/interns/${internId}/daemon/sign>; rel="successor-version"`);
    }
    const proof = (await answers[0]!.json()) as WireProof;
    expect(await verifyAsSidecar(gateway, proof, internId)).toMatchObject({ user: SUBJECT });
    expect((await askProof(gateway, token, internId)).headers.get('deprecation')).toBeNull();
  });

  test("escapes the request's path in the Link header", async () => {
    const caller = createCaller(gateway.origin, token);
    const response = await caller.call('POST', '/interns/a%22%3E%0D%0Ab/daemon-access/sign', {
      body: { bodySha256: sha256Of(BODY) },
    });
    expect(response.status).toBe(404);
    expect(response.headers.get('link')).toBe(
      '</api/v1/interns/a%22%3E%0D%0Ab/daemon/sign>; rel="successor-version"',
    );
  });
});

test('the published keys need no API key and may be cached for 300 seconds', async () => {
  const response = await createCaller(gateway.origin).call('GET', '/interns/daemon/jwks.json');
  expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  const { keys } = (await response.json()) as { keys: object[] };
  expect(keys).toEqual([
    {
      kty: 'OKP',
      crv: 'Ed25519',
      x: expect.stringMatching(/^[\w-]{43}$/),
      kid: expect.stringMatching(/^[\w-]{43}$/),
      alg: 'EdDSA',
      use: 'sig',
    },
  ]);
});

describe('a change while proofs are signed', () => {
  /** Less than the 15 seconds after which a process reads a cached key or entitlement again although no notice came. */
  const HEARD_MS = 10_000;

  /** Asks until the answer is another. */
  function statusAfterChange(keyToken: string, id = internId): Promise<number> {
    const look = async (): Promise<number | undefined> => {
      const { status } = await askProof(gateway, keyToken, id);
      return status === 200 ? undefined : status;
    };
    return eventually('another answer', look, HEARD_MS);
  }

  test('takes effect for a disabled key, which gets 401', async () => {
    const key = await addPersonalKey(gateway);
    await proofFor(gateway, key.token, internId);
    await setKeyDisabled(gateway, key.hash, true);
    expect(await statusAfterChange(key.token)).toBe(401);
  });

  test('takes effect for a key whose owner left the directory, which gets 401', async () => {
    const client = createScimClient(gateway, (await makeScimToken(gateway)).token);
    const userName = `${crypto.randomUUID()}@example.com`;
    const { body: person } = await client.call('POST', '/Users', userOf({ userName }));
    const key = await addPersonalKey(gateway, userName);
    await proofFor(gateway, key.token, internId);
    expect((await client.call('DELETE', `/Users/${person.id}`)).status).toBe(204);
    expect(await statusAfterChange(key.token)).toBe(401);
  });

  test('takes effect for a deleted intern, whose proofs answer 200 and then 404', async () => {
    const id = await addIntern(gateway);
    await proofFor(gateway, token, id);
    const signing = Array.from({ length: 4 }, async () => {
      const statuses = new Set<number>();
      while (!statuses.has(404)) statuses.add((await askProof(gateway, token, id)).status);
      return statuses;
    });
    const manager = createCaller(gateway.origin, gateway.managementKey);
    expect((await manager.call('DELETE', `/interns/${id}`)).status).toBe(202);
    for (const statuses of await Promise.all(signing)) {
      expect([...statuses].filter((status) => status !== 200)).toEqual([404]);
    }
  });

  test('takes effect for an organization that leaves the programme and returns', async () => {
    // An organization that no process has asked for yet, so that its cached entitlement is new.
    const place = await addOrganization(gateway);
    const setEntitlements = (entitlements: string[]): Promise<unknown> =>
      gateway.database.query('update organizations set entitlements = $1 where id = $2', [
        entitlements,
        place.organizationId,
      ]);
    await setEntitlements(['interns']);
    const id = await addIntern(gateway, place);
    const key = await addKey(gateway, { ...place, identitySubject: SUBJECT });
    await proofFor(gateway, key.token, id);
    await setEntitlements([]);
    expect(await statusAfterChange(key.token, id)).toBe(404);
    await setEntitlements(['interns']);
    const again = async (): Promise<true | undefined> =>
      (await askProof(gateway, key.token, id)).status === 200 ? true : undefined;
    await eventually('proofs again', again, HEARD_MS);
  });
});
