import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { addPeople, createScimClient, makeScimToken, type ScimClient, userOf } from '../support/scim.ts';

const MIB = 1024 ** 2;

let gateway: Gateway;
let client: ScimClient;
let token: string;

beforeAll(async () => {
  gateway = await startGateway();
  ({ token } = await makeScimToken(gateway));
  client = createScimClient(gateway, token);
});
afterAll(() => gateway.close());

/** Holds every part of an error against RFC 7644, section 3.12. */
function expectError(answer: { status: number; body: unknown }, status: number, scimType?: string): string {
  const { detail, ...rest } = answer.body as { detail: string };
  expect([answer.status, rest]).toEqual([
    status,
    {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: `${status}`,
      ...(scimType === undefined ? {} : { scimType }),
    },
  ]);
  return detail;
}

describe('an unknown or unsupported SCIM request', () => {
  test.each([
    ['GET', ''],
    ['GET', '/Unknown'],
    ['GET', '/Users/a/b'],
    ['GET', '/users'],
    ['GET', '/Schemas/urn:unknown'],
    ['GET', '/ResourceTypes/Device'],
  ])('%s %s answers 404', async (method, path) => {
    expectError(await client.call(method, path), 404);
  });

  test.each([
    ['POST', '/ServiceProviderConfig', 'GET, HEAD'],
    ['DELETE', '/Schemas', 'GET, HEAD'],
    ['PUT', '/ResourceTypes/User', 'GET, HEAD'],
    ['PATCH', '/Users', 'GET, HEAD, POST'],
    ['POST', `/Groups/${crypto.randomUUID()}`, 'DELETE, GET, HEAD, PATCH, PUT'],
  ])('%s %s answers 405 with Allow', async (method, path, allow) => {
    const answer = await client.call(method, path);
    expectError(answer, 405);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test.each([
    ['POST', '/Bulk'],
    ['POST', '/.search'],
    ['POST', '/Users/.search'],
    ['POST', '/Groups/.search'],
    ['GET', '/Me'],
    ['PATCH', '/Me'],
    ['GET', '/Users?sortBy=userName'],
    ['GET', '/Groups?sortOrder=descending'],
    ['GET', '/Users?cursor'],
  ])('%s %s answers 501', async (method, path) => {
    expect(expectError(await client.call(method, path), 501)).toMatch(/^Not implemented/);
  });
});

describe('the body of a SCIM request', () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    client.call('POST', '/Users', body, headers);

  test.each([
    ['HTML', '<html><body>Sign in</body></html>'],
    ['empty', ''],
    ['cut off', '{"userName":'],
    ['a list', '[]'],
    ['a string', '"userName"'],
    ['null', 'null'],
  ])('gets 400 invalidSyntax if it is %s', async (_what, body) => {
    expectError(await post(body), 400, 'invalidSyntax');
    const { id } = (await client.call('POST', '/Users', userOf())).body;
    expectError(await client.call('PATCH', `/Users/${id}`, body), 400, 'invalidSyntax');
  });

  test.each(['application/scim+json', 'application/scim+json; charset=utf-8', 'application/json'])(
    'may have the content type %s',
    async (type) => {
      expect((await post(JSON.stringify(userOf()), { 'content-type': type })).status).toBe(201);
    },
  );

  test.each(['text/html', 'application/xml', 'application/scim+json; charset=latin1'])(
    'gets 415 with the content type %s',
    async (type) => {
      expectError(await post(JSON.stringify(userOf()), { 'content-type': type }), 415);
    },
  );

  test('may have 16 MiB, and gets 413 with one byte more', async () => {
    const fill = (bytes: number): string => {
      const body = JSON.stringify({ Operations: [], padding: '' });
      return body.replace('""', `"${'x'.repeat(bytes - body.length)}"`);
    };
    const { id } = (await client.call('POST', '/Groups', { displayName: 'Large body' })).body;
    expect((await client.call('PATCH', `/Groups/${id}`, fill(16 * MIB))).status).toBe(200);
    expect(await announce(16 * MIB + 1)).toEqual([413, '413']);
  });

  test('gets 413 beyond 16 MiB without a content-length', async () => {
    const chunk = new Uint8Array(MIB).fill(0x20);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (sent === 17) controller.close();
        else controller.enqueue(chunk);
        sent += 1;
      },
    });
    const response = await fetch(`${gateway.origin}/api/v1/scim/v2/Groups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body,
      duplex: 'half',
    });
    expectError({ status: response.status, body: await response.json() }, 413);
  });

  test('gets 400 tooMany for 100,000 levels or a million fields', async () => {
    const nested = `{"userName":"x","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expectError(await post(nested), 400, 'tooMany');
    const fields = `{${Array.from({ length: 1_000_001 }, (_, n) => `"${n}":1`).join(',')}}`;
    expectError(await post(fields), 400, 'tooMany');
  });
});

/** Announces a body of so many bytes, and sends none of it. */
function announce(bytes: number): Promise<[status: number | undefined, statusInBody: string]> {
  const { promise, resolve, reject } = Promise.withResolvers<[number | undefined, string]>();
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/scim+json',
    'content-length': bytes,
  };
  const sent = request(`${gateway.origin}/api/v1/scim/v2/Users`, { method: 'POST', headers }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    answer.once('end', () => {
      resolve([answer.statusCode, (JSON.parse(text) as { status: string }).status]);
      sent.destroy();
    });
  }).once('error', reject);
  sent.flushHeaders();
  return promise;
}

describe('a SCIM group', () => {
  test('may have 100,000 members, and PATCH and PUT refuse one more', async () => {
    const [late, ...users] = await addPeople(gateway, 100_001);
    const members = users.map((value) => ({ value, display: 'Somebody', type: 'User' }));
    const { id } = (await client.call('POST', '/Groups', { displayName: 'Everybody' })).body;
    const full = { displayName: 'Everybody', members };
    const put = await client.call('PUT', `/Groups/${id}?excludedAttributes=members`, full);
    expect([put.status, put.headers.get('etag')]).toEqual([200, 'W/"2"']);
    const addLate = { Operations: [{ op: 'add', path: 'members', value: [{ value: late }] }] };
    expectError(await client.call('PATCH', `/Groups/${id}`, addLate), 400, 'tooMany');
    const more = { displayName: 'Everybody', members: [...members, { value: late }] };
    expectError(await client.call('PUT', `/Groups/${id}`, more), 400, 'tooMany');
    const { body, headers } = await client.call('GET', `/Groups/${id}`);
    expect([body.members.length, headers.get('etag')]).toEqual([100_000, 'W/"2"']);

    await client.call('POST', '/Groups', { displayName: 'A late one', members: [{ value: late }] });
    const page = await client.call('GET', '/Groups?filter=members%20pr');
    expect([page.body.totalResults, page.body.itemsPerPage, page.body.Resources.length]).toEqual([2, 1, 1]);
    const next = await client.call('GET', '/Groups?filter=members%20pr&startIndex=2');
    expect(next.body).toMatchObject({ totalResults: 2, itemsPerPage: 1 });
  });
});

describe('a SCIM query', () => {
  test.each([
    ['filter=userName%20is%20ada', 'invalidFilter'],
    ['filter=', 'invalidFilter'],
    [`filter=${encodeURIComponent(`userName eq "${'x'.repeat(2_000)}"`)}`, 'tooMany'],
    ['filter=active%20eq%20true&filter=active%20eq%20false', 'invalidValue'],
    ['count=many', 'invalidValue'],
    ['startIndex=1.5', 'invalidValue'],
    ['attributes=userName&excludedAttributes=groups', 'invalidValue'],
  ])('gets 400 for %s', async (query, scimType) => {
    expectError(await client.call('GET', `/Users?${query}`), 400, scimType);
  });

  test('may contain aadOptscim062020, in reads and writes', async () => {
    const created = await client.call('POST', '/Users?aadOptscim062020', userOf());
    expect(created.status).toBe(201);
    const path = `/Users/${created.body.id}?aadOptscim062020`;
    const changes = { Operations: [{ op: 'replace', path: 'nickName', value: 'A' }] };
    expect((await client.call('PATCH', path, changes)).status).toBe(200);
    expect((await client.call('GET', path)).body.nickName).toBe('A');
    expect((await client.call('GET', '/Users?aadOptscim062020&count=1')).body.itemsPerPage).toBe(1);
    expect((await client.call('DELETE', path)).status).toBe(204);
  });

  test('gets an error that names the field and the rule', async () => {
    const detail = expectError(await client.call('GET', '/Users?count=many'), 400, 'invalidValue');
    expect(detail).toBe('Invalid request parameters: query.count must be a whole number');
  });
});

describe('a failing statement under a SCIM request', () => {
  test('answers 500 Internal Server Error without details', async () => {
    await gateway.database.query('alter table directory_people rename column active to was_active');
    try {
      const answer = await client.call('POST', '/Users', userOf());
      expect(expectError(answer, 500)).toBe('Internal Server Error');
    } finally {
      await gateway.database.query('alter table directory_people rename column was_active to active');
    }
  });
});

describe('a directory that is read from its source', () => {
  test('refuses pushed changes with 403, and answers reads', async () => {
    const { body: user } = await client.call('POST', '/Users', userOf());
    await gateway.database.query(
      `insert into scim_sources (organization_id, type, base_url, sealed_token, interval_minutes, disable_keys)
       values ($1, 'scim', 'https://directory.example', 'sealed', 60, 'all')`,
      [gateway.organizationId],
    );
    expectError(await client.call('POST', '/Users', userOf()), 403);
    expectError(await client.call('PUT', `/Users/${user.id}`, userOf()), 403);
    expectError(await client.call('PATCH', `/Users/${user.id}`, { Operations: [] }), 403);
    expectError(await client.call('DELETE', `/Users/${user.id}`), 403);
    expectError(await client.call('POST', '/Groups', { displayName: 'Pulled' }), 403);
    expect((await client.call('GET', `/Users/${user.id}`)).body).toEqual(user);
    await gateway.database.query('delete from scim_sources');
  });
});

describe('SCIM discovery', () => {
  test('describes the supported features, and requires the token', async () => {
    const { status, body } = await client.call('GET', '/ServiceProviderConfig');
    expect([status, body]).toMatchObject([
      200,
      {
        patch: { supported: true },
        bulk: { supported: false },
        filter: { supported: true, maxResults: 200 },
        sort: { supported: false },
        etag: { supported: true },
        meta: { location: 'https://gateway.example/api/v1/scim/v2/ServiceProviderConfig' },
      },
    ]);
    for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas']) {
      expectError(await createScimClient(gateway).call('GET', path), 401);
    }
  });

  test('lists resource types and schemas, each readable by its id', async () => {
    for (const folder of ['/ResourceTypes', '/Schemas']) {
      const { body } = await client.call('GET', folder);
      expect(body.totalResults).toBe(body.Resources.length);
      for (const one of body.Resources) {
        expect((await client.call('GET', `${folder}/${one.id}`)).body).toEqual(one);
      }
    }
  });
});
