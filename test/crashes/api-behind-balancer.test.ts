import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApiCluster } from '../support/api-cluster.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const CALLERS = 8;
const DRAIN = { API_DRAIN_DELAY: '5s' };

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Callers that ask one request after the other until they are stopped. */
function startCallers({ origin }: Balancer) {
  const statuses = new Map<number, number>();
  let isOver = false;
  const call = async (): Promise<void> => {
    while (!isOver) {
      const answer = await fetch(`${origin}/api/v1/key`, {
        headers: { authorization: `Bearer ${gateway.apiKey}` },
      });
      await answer.arrayBuffer();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  };
  const calls = Array.from({ length: CALLERS }, call);
  return {
    statuses,
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(calls);
    },
  };
}

/** Waits until the backend has answered this many requests more. */
async function answersMore({ answered }: Balancer, { origin }: ApiProcess, count: number): Promise<void> {
  const before = answered.get(origin) ?? 0;
  await eventually(`${count} answers of ${origin}`, async () =>
    (answered.get(origin) ?? 0) >= before + count ? true : undefined,
  );
}

test.each([
  ['one process', () => startApiProcess(gateway, DRAIN)],
  ['two processes behind one port', () => startApiCluster(gateway, 2, DRAIN)],
])('no request is lost when an API of %s stops behind a balancer', async (_, start) => {
  const [first, second] = await Promise.all<ApiProcess>([start(), start()]);
  const balancer = await startBalancer([first!.origin, second!.origin]);
  expect(balancer.ready()).toHaveLength(2);
  const callers = startCallers(balancer);
  await Promise.all([answersMore(balancer, first!, 50), answersMore(balancer, second!, 50)]);

  first!.signal('SIGTERM');
  await eventually('the balancer that leaves', async () =>
    balancer.ready().includes(first!.origin) ? undefined : true,
  );
  // The port is still open, and says to each client that it must connect anew.
  const late = await fetch(`${first!.origin}/healthz`);
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
  const unready = await fetch(`${first!.origin}/readyz`);
  expect([unready.status, await unready.json()]).toEqual([
    503,
    expect.objectContaining({ status: 'stopping' }),
  ]);
  expect(await first!.exited).toEqual({ code: 0, signal: null });
  await answersMore(balancer, second!, 50);

  await callers.stop();
  expect(balancer.lost).toEqual([]);
  expect([...callers.statuses.keys()]).toEqual([200]);
  second!.signal('SIGTERM');
  expect(await second!.exited).toEqual({ code: 0, signal: null });
  await balancer.close();
});
