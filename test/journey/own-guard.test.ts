import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addPrivateEndpoint, clearOwnResources, noticed } from '../support/own-resources.ts';
import { byokIssuesOf, makeByokKey, patchByokKey, postByokKey } from '../support/byok.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { askChat, completed, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  endpointDraft,
  ENTITLED,
  makeEndpoint,
  patchEndpoint,
  postEndpoint,
} from '../support/private-endpoints.ts';
import { answerChat, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

let gateway: Gateway;
let manager: Caller;
let vendor: VendorServer;

beforeAll(async () => {
  vendor = await startVendorServer();
  // Loopback is open for the shared endpoints of the tests, but no name and nothing else.
  gateway = await startGateway({ bootstrap: ENTITLED });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

/** Every address leads to nobody whom a customer may reach, in some spelling. */
const REFUSED = [
  'https://0.0.0.0/v1',
  'https://10.0.0.1/v1',
  'https://100.64.0.1/v1',
  'https://169.254.1.1/v1',
  'https://172.16.0.1/v1',
  'https://192.0.0.8/v1',
  'https://192.0.2.1/v1',
  'https://192.168.0.1/v1',
  'https://198.18.0.1/v1',
  'https://198.51.100.1/v1',
  'https://203.0.113.1/v1',
  'https://224.0.0.1/v1',
  'https://240.0.0.1/v1',
  'https://255.255.255.255/v1',
  'https://[::]/v1',
  'https://[::1]/v1',
  'https://[::ffff:127.0.0.1]/v1',
  'https://[::ffff:a9fe:a9fe]/v1',
  'https://[::ffff:0:10.0.0.1]/v1',
  'https://[::7f00:1]/v1',
  'https://[64:ff9b::7f00:1]/v1',
  'https://[64:ff9b:1::a00:1]/v1',
  'https://[100::1]/v1',
  'https://[2001::1]/v1',
  'https://[2001:2::1]/v1',
  'https://[2001:10::1]/v1',
  'https://[2001:db8::1]/v1',
  'https://[2002:a00:1::]/v1',
  'https://[3fff::1]/v1',
  'https://[5f00::1]/v1',
  'https://[fc00::1]/v1',
  'https://[fe80::1]/v1',
  'https://[fec0::1]/v1',
  'https://[ff02::1]/v1',
  // Metadata services.
  'https://169.254.169.254/latest',
  'https://169.254.170.2/v2',
  'https://168.63.129.16/v1',
  'https://100.100.100.200/v1',
  'https://[fd00:ec2::254]/v1',
  'https://[fd20:ce::254]/v1',
  'https://metadata.google.internal/v1',
  'https://METADATA.google.internal./v1',
  'https://metadata/v1',
  'https://instance-data/v1',
  // Other spellings of 10.0.0.1 and 169.254.169.254.
  'https://167772161/v1',
  'https://0xa000001/v1',
  'https://012.0.0.1/v1',
  'https://0xa.1/v1',
  'https://10.1/v1',
  'https://10.0.0.1./v1',
  'https://10.0.0.1../v1',
  'https://2852039166/v1',
  'https://0xA9FEA9FE/v1',
  'https://①⓪.⓪.⓪.①/v1',
  'https://１６９.254.169.254/v1',
  'https://169。254。169。254/v1',
  'https://%31%30.0.0.1/v1',
  // Userinfo, IDN and other schemes.
  'https://user:password@own.example/v1',
  'https://own.example@10.0.0.1/v1',
  'https://ｍetadata.google.internal/v1',
  'http://own.example/v1',
  'http://8.8.8.8/v1',
];

/** The shape of a request's field refuses these already. */
const NOT_HTTP = ['https:\\\\10.0.0.1\\v1', 'ftp://own.example/v1', 'file:///etc/passwd'];

describe.each([...REFUSED, ...NOT_HTTP])('the refused address %s', (url) => {
  test('gets 422 or 400 as the address of a private endpoint, new or changed', async () => {
    for (const response of [
      await postEndpoint(manager, endpointDraft({ base_url: url })),
      await patchEndpoint(manager, draftId, { upstream_model_id: 'x', base_url: url }),
    ]) {
      const { code, metadata } = await errorOf(response);
      const expected = NOT_HTTP.includes(url) ? [400, 'invalid_request'] : [422, 'invalid_base_url'];
      expect([code, metadata.reason]).toEqual(expected);
      expect(metadata.issues).toMatchObject([{ path: 'body.base_url' }]);
    }
  });

  test("gets 400 as a credential's address, new, changed or inside an Azure key", async () => {
    const azure = JSON.stringify({ api_key: 'key-0', endpoint_url: url });
    const answers = [
      await postByokKey(manager, { provider: 'openai-compatible', base_url: url }),
      await patchByokKey(manager, keyId, { key: 'key-1', base_url: url }),
      await postByokKey(manager, { provider: 'azure', key: azure }),
    ];
    const paths = [];
    for (const answer of answers)
      paths.push((await byokIssuesOf(answer)).map((issue) => issue.split(' ')[0]));
    expect(paths).toEqual([['body.base_url'], ['body.base_url'], ['body.key']]);
  });
});

let draftId: string;
let keyId: string;
beforeAll(async () => {
  await gateway.database.query(
    `insert into providers (slug, name, adapter, facts, source) values ('azure', 'Azure', 'azure', '{}', 'bundled')
     on conflict do nothing`,
  );
  draftId = (await makeEndpoint(manager)).id;
  keyId = (await makeByokKey(manager, { provider: 'openai-compatible', base_url: 'https://own.example/v1' }))
    .id;
});

describe('a stored private endpoint', () => {
  /** Chats with an endpoint that is there already; returns what is recorded of it. */
  async function servedBeside(...urls: string[]) {
    await clearOwnResources(gateway);
    const marker = await addPrivateEndpoint(gateway, vendor.baseUrl);
    for (const url of urls) await addPrivateEndpoint(gateway, url);
    await noticed(async () => {
      const row = await ledgerRow(gateway, (await completed(await askChat(gateway, {}))).id);
      return row.provider_responses.some((tried) => tried.endpoint_id === marker);
    });
    await gateway.database.query('delete from private_endpoints where id = $1', [marker]);
    let row;
    await noticed(async () => {
      const answer = await completed(await askChat(gateway, {}));
      row = await ledgerRow(gateway, answer.id);
      return !row.provider_responses.some((tried) => tried.endpoint_id === marker);
    });
    return row!;
  }

  test('gets no request at a refused address: shared endpoints serve', async () => {
    const row = await servedBeside(...REFUSED, ...NOT_HTTP);
    expect(row).toMatchObject({ is_byok: false, status: 'completed' });
    expect(row).toHaveProperty('provider_responses', [expect.objectContaining({ is_byok: false })]);
    const only = await askChat(gateway, { provider: { only: ['private'] } });
    expect((await errorOf(only)).code).toBe(404);
  });

  test('redirects to another server, which gets no request', async () => {
    const other = await startVendorServer();
    vendor.answer = (_, response) => {
      response.writeHead(307, { location: `${other.origin}/v1/chat/completions` }).end();
    };
    await clearOwnResources(gateway);
    const id = await addPrivateEndpoint(gateway, vendor.baseUrl);
    await noticed(async () => {
      const row = await ledgerRow(gateway, (await completed(await askChat(gateway, {}))).id);
      return row.provider_responses[0]?.endpoint_id === id && row.is_byok === false;
    });
    expect(other.calls).toEqual([]);
    vendor.answer = answerChat;
    await other.close();
  });

  test("answers 502 without the host's name if that cannot be resolved", async () => {
    await clearOwnResources(gateway);
    const id = await addPrivateEndpoint(gateway, 'https://nowhere.invalid/v1');
    await noticed(async () => {
      const row = await ledgerRow(gateway, (await completed(await askChat(gateway, {}))).id);
      return row.provider_responses[0]?.endpoint_id === id;
    });
    const refused = await askChat(gateway, { provider: { only: ['private'] } });
    const text = JSON.stringify(await errorOf(refused));
    expect(refused.status).toBe(502);
    expect(text).not.toMatch(/nowhere|ENOTFOUND|EAI_AGAIN|getaddrinfo|\d+\.\d+\.\d+\.\d+/);
  });
});
