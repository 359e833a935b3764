import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { errorOf } from '../support/caller.ts';
import { type EgressScene, startEgressScene } from '../support/egress-scene.ts';
import { startApiProcess } from '../support/api-process.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let proxy: TcpProxy;
let scene: EgressScene;

beforeAll(async () => {
  proxy = await startTcpProxy(process.env['SLUICE_TEST_POSTGRES_URL']!);
  scene = await startEgressScene({ databaseUrl: (direct) => proxy.through(direct) });
});
afterEach(async () => {
  await proxy.restore();
});
afterAll(async () => {
  await scene.close();
  await proxy.close();
});

test.each(['refusal', 'silence'] as const)(
  'an outage of Postgres by %s makes egress answer 503 and send nothing',
  async (outage) => {
    await eventually('a request that is sent', async () => {
      const answer = await scene.send('GET', '/');
      // A body that nobody reads keeps its connection open.
      await answer.arrayBuffer();
      return answer.status === 200 ? true : undefined;
    });
    const before = scene.host.requests.length;
    proxy.cut(outage);
    const response = await scene.send('GET', '/');
    expect(response.headers.get('sluice-egress')).toBeNull();
    expect((await errorOf(response)).code).toBe(503);
    expect(scene.host.requests.length).toBe(before);
  },
);

test('an API that dies before the response leaves the entry in the log', async () => {
  const api = await startApiProcess(scene.gateway, {
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  });
  const asked = Promise.withResolvers<void>();
  scene.host.answer(() => asked.resolve());
  const sent = fetch(`${api.origin}/api/v1/interns/${scene.intern.id}/egress/https/${scene.host.at()}/`, {
    method: 'POST',
    headers: {
      'sluice-authorization': `Bearer ${scene.key.token}`,
      authorization: '{{secret:key}}',
    },
  });
  sent.catch(() => {});
  await asked.promise;
  await api.kill();
  const [entry] = await scene.log();
  expect(entry).toMatchObject({
    method: 'POST',
    host: scene.host.at(),
    names: ['key'],
    status: null,
    bytes: null,
  });
});
