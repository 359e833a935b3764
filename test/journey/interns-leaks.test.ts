import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePorts } from '../../dev/ports.ts';
import { createLogger } from '../../platform/logger.ts';
import { addKey } from '../support/accounts.ts';
import { askChat } from '../support/chat.ts';
import { makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { leakSearch, runTexts, tableTexts } from '../support/leaks.ts';
import { storedObjects } from '../support/stored-objects.ts';
import { startVendorServer, type VendorServer } from '../support/vendor-server.ts';
import { updateWorkspace } from '../support/workspaces.ts';

const OF_WORKSPACE = 'planted-workspace-secret-7731-end';
const OF_INTERN = 'planted-intern-secret-4402-end';
const OF_LENDER = 'planted-lender-secret-9035-end';
const SECRETS = [OF_WORKSPACE, OF_INTERN, OF_LENDER];

/** Answers that the gateway does not pass on as a whole, by the end of the path. Each repeats the request's headers. */
const MISBEHAVIOURS: Record<string, (response: ServerResponse, echo: string) => void> = {
  encoded: (response, echo) =>
    void response.writeHead(200, { 'content-encoding': 'gzip', 'x-echo': echo }).end(gzipSync(echo)),
  'too-large': (response, echo) =>
    response.writeHead(200, { 'content-length': 65 * 1024 ** 2, 'x-echo': echo }).flushHeaders(),
  'no-http': (response, echo) => void response.socket?.end(`${echo}\r\n\r\n`),
  'malformed-header': (response, echo) =>
    void response.socket?.end(`HTTP/1.1 200 OK\r\nx-echo: ${echo}\r\n${echo}\r\n\r\n`),
  'malformed-chunk': (response, echo) =>
    void response.socket?.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${echo}\r\n`),
  'broken-off': (response, echo) => {
    response.writeHead(200, { 'content-length': echo.length + 1 });
    response.write(echo, () => response.destroy());
  },
  'no-answer': (response) => void response.socket?.destroy(),
};

let gateway: Gateway;
let tool: VendorServer;
let host: Server;
let internId: string;
let internKey: string;
let metricsPort: number;
const logged: string[] = [];
const answers: string[] = [];
/** Every value of a header that the host was sent. */
const arrived: string[] = [];

beforeAll(async () => {
  [metricsPort = 0] = await findFreePorts(1);
  tool = await startVendorServer();
  tool.answer = (_, response) => void response.end();
  host = createServer((request, response) => {
    const values = Object.values(request.headers).map(String);
    arrived.push(...values);
    const echo = JSON.stringify({ values, plain: values.map(fromBasic) });
    const misbehave = MISBEHAVIOURS[request.url?.split('/').at(-1) ?? ''];
    if (misbehave !== undefined) return misbehave(response, echo);
    response.setHeader(`x-${OF_LENDER}`, '1').setHeader(OF_INTERN.toUpperCase(), '1');
    response.writeHead(Number(request.url?.slice(-3)), { 'x-echo': values.join(' ').slice(0, 2_000) });
    const half = Math.floor(echo.length / 2);
    response.write(echo.slice(0, half), () => response.end(echo.slice(half)));
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const destination = { write: (line: string) => void logged.push(line) };
  gateway = await startGateway({
    worker: ['broadcast', 'maintenance'],
    bootstrap: { entitlements: ['interns'], identitySubject: 'someone' },
    logger: createLogger({ level: 'trace', name: 'test', destination }),
    env: { METRICS_PORT: String(metricsPort) },
  });
  const manager = createCaller(gateway.origin, gateway.managementKey);
  await updateWorkspace(manager, gateway.workspaceId, { is_observability_io_logging_enabled: true });
  await makeDestination(manager, { config: { url: tool.origin } }, 'webhook');
});

afterAll(async () => {
  host.closeAllConnections();
  host.close();
  await gateway.close();
  await tool.close();
});

function fromBasic(value: string): string {
  return value.startsWith('Basic ') ? Buffer.from(value.slice(6), 'base64').toString('utf8') : value;
}

const leaks = leakSearch(SECRETS);

async function ask(method: string, target: string, body?: unknown, headers: object = {}): Promise<Response> {
  const response = await gateway.call(method, target, {
    ...(body === undefined ? {} : { body }),
    headers: { ...headers },
  });
  answers.push(await response.clone().text(), JSON.stringify([...response.headers]));
  return response;
}

async function makeIntern(body: object): Promise<{ id: string; vault_id: string }> {
  const response = await ask('POST', '/interns', body, { 'idempotency-key': `make ${JSON.stringify(body)}` });
  expect(response.status).toBe(201);
  return (await response.json()) as { id: string; vault_id: string };
}

test('the vault stores, lists and copies planted secrets, and refuses them in faulty requests', async () => {
  const lender = await makeIntern({ name: 'Lender' });
  const { id } = await makeIntern({ name: 'Borrower', vault_id: lender.vault_id });
  internId = id;
  internKey = (await addKey(gateway, { kind: 'intern', internId })).token;
  const stored: [string, string][] = [
    ['/vault/secrets/of_workspace', OF_WORKSPACE],
    ['/vault/secrets/copied', OF_WORKSPACE],
    [`/vault/interns/${internId}/secrets/of_intern`, OF_INTERN],
    [`/vault/interns/${lender.id}/secrets/of_lender`, OF_LENDER],
  ];
  for (const [target, value] of stored) {
    expect((await ask('PUT', target, { value, hosts: ['localhost'] })).status).toBe(200);
    for (const refused of [
      { value, hosts: [`${value}/`] },
      { value, hosts: [] },
      { value: [value], hosts: ['localhost'] },
      { value: `${value}\u0000`, hosts: ['localhost'] },
      `{"value":"${value}","hosts":`,
    ]) {
      const { status } = await ask('PUT', target, refused);
      expect([refused, status]).toEqual([refused, 400]);
    }
  }
  const copy = `/vault/interns/${internId}/secrets/copy`;
  expect((await ask('POST', copy, { names: ['copied'] })).status).toBe(200);
  for (const target of ['/vault/secrets', `/vault/interns/${internId}/secrets`]) {
    expect((await ask('GET', target)).status).toBe(200);
  }
  const effective = await ask('GET', `/vault/interns/${internId}/effective-secrets`);
  const { data } = (await effective.json()) as { data: { name: string }[] };
  expect(data.map(({ name }) => name)).toEqual(['copied', 'of_intern', 'of_lender', 'of_workspace']);
  const signed = await ask('POST', `/interns/${internId}/daemon/sign`, { bodySha256: 'a'.repeat(64) });
  expect(signed.status).toBe(200);
});

test('a host receives the secrets, and repeats them in answers of every status', async () => {
  const { port } = host.address() as AddressInfo;
  const headers = {
    'sluice-authorization': `Bearer ${internKey}`,
    authorization: 'Bearer {{secret:of_workspace}}',
    'x-intern': '{{basic:somebody:of_intern}}',
    'x-lender': '{{secret:of_lender}}',
    'x-copied': '{{basic::copied}}',
  };
  for (const status of [200, 201, 302, 400, 401, 403, 404, 429, 500, 503]) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const target = `${gateway.origin}/api/v1/interns/${internId}/egress/http/localhost:${port}/private-path-4711/${status}`;
      const response = await fetch(target, { method, headers, redirect: 'manual' });
      const text = await response.text();
      expect([status, response.headers.get('sluice-egress')]).toEqual([response.status, 'forwarded']);
      expect(text).toContain('{{secret:of_lender}}');
      answers.push(text, JSON.stringify([...response.headers]));
    }
  }
  expect(leaks(arrived.join(' ')).toSorted()).toEqual(SECRETS.toSorted());
});

test('a host receives the secrets, and repeats them in answers that break off or fail', async () => {
  const { port } = host.address() as AddressInfo;
  const seen: Record<string, unknown> = {};
  for (const name of Object.keys(MISBEHAVIOURS)) {
    const target = `${gateway.origin}/api/v1/interns/${internId}/egress/http/localhost:${port}/private-path-4711/${name}`;
    const headers = {
      'sluice-authorization': `Bearer ${internKey}`,
      authorization: 'Bearer {{secret:of_workspace}}',
      'x-intern': '{{basic:somebody:of_intern}}',
      'x-lender': '{{secret:of_lender}}',
    };
    const response = await fetch(target, { headers });
    const text = await response.text().catch(() => 'broken off');
    const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as {
      error?: { metadata: { reason: string } };
    };
    seen[name] = error?.metadata.reason ?? text;
    answers.push(text, JSON.stringify([...response.headers]));
  }
  expect(seen).toEqual({
    encoded: 'answer_encoded',
    'too-large': 'answer_too_large',
    'no-http': 'host_unreachable',
    'malformed-header': 'host_unreachable',
    'malformed-chunk': 'broken off',
    'broken-off': 'broken off',
    'no-answer': 'host_unreachable',
  });
});

test.each([
  ['that no header carries', 'two_lines', 422],
  ['that cannot be opened', 'unopened', 503],
])('a request with a secret %s is refused', async (_, name, status) => {
  const target = `/vault/interns/${internId}/secrets/${name}`;
  const stored = { value: `${OF_INTERN}\n${OF_INTERN}`, hosts: ['localhost'] };
  expect((await ask('PUT', target, stored)).status).toBe(200);
  if (status === 503) {
    await gateway.database.query(
      `update vault_secrets set sealed_value = replace(sealed_value, 'test', 'lost') where name = $1`,
      [name],
    );
  }
  const { port } = host.address() as AddressInfo;
  const headers = {
    authorization: '',
    'sluice-authorization': `Bearer ${internKey}`,
    'x-first': '{{secret:of_workspace}}',
    'x-other': `{{secret:${name}}}`,
  };
  const egress = `/interns/${internId}/egress/http/localhost:${port}/private-path-4711/200`;
  expect((await ask('GET', egress, undefined, headers)).status).toBe(status);
});

test("a generation with the intern's key is logged and forwarded", async () => {
  const asker = createCaller(gateway.origin, internKey);
  const answer = await askChat({ ...gateway, call: asker.call }, {});
  expect(answer.status).toBe(200);
  answers.push(await answer.text());
  await eventually('the generation at the tool', async () => (tool.calls.length > 0 ? true : undefined));
});

test('no answer and no payload at the tool holds a secret', () => {
  expect(answers.join()).toContain('fingerprint');
  expect(answers.filter((text) => leaks(text).length > 0)).toEqual([]);
  expect(tool.calls.filter(({ body }) => leaks(body).length > 0)).toEqual([]);
});

test('no line of the log holds a secret at any level', () => {
  expect(logged.join('')).toContain('/egress/');
  expect(logged.join('')).not.toContain('private-path-4711');
  expect(logged.filter((line) => leaks(line).length > 0)).toEqual([]);
});

test('no row of any table holds a secret', async () => {
  const texts = await tableTexts(gateway);
  expect([...texts.keys()]).toEqual(
    expect.arrayContaining(['vault_secrets', 'egress_log', 'audit_log', 'remembered_answers']),
  );
  for (const [name, text] of texts) expect([name, leaks(text)]).toEqual([name, []]);
});

test('no object, no run of a workflow and no metric holds a secret', async () => {
  for (const { name, text } of await storedObjects(gateway.objectsFolder)) {
    expect([name, leaks(text)]).toEqual([name, []]);
  }
  const runs = await runTexts(gateway);
  expect(runs.size).toBeGreaterThan(0);
  for (const [id, text] of runs) expect([id, leaks(text)]).toEqual([id, []]);
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toContain('sluice_');
  expect(leaks(metrics)).toEqual([]);
});
