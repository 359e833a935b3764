import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { RequestListener } from 'node:http';
import type { DestinationConfig } from '../../../../domain/broadcast/destination-config.ts';
import { createFindDestination } from '../../../../services/broadcast/pump/open-destination.ts';
import { traceEncoder } from '../../../../services/broadcast/otlp/trace-encoder.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../platform/loopback-server.ts';
import { closeAfterEach, guardWith, resolverOf } from '../../../platform/outbound-setup.ts';
import { type BroadcastScene, openBroadcastScene, type Place } from '../../../support/broadcast-scene.ts';
import { otherVendors } from '../destinations/other-vendors.ts';
import { otlpVendors } from '../destinations/otlp-vendors.ts';

/** Stands for the internet. Every other address is private. */
const PUBLIC = '127.0.0.1';
const PRIVATE = '127.0.0.2';
const NAME = 'tool.example';

let scene: BroadcastScene;
let place: Place;
let internal: LoopbackServer;
beforeAll(async () => {
  scene = await openBroadcastScene();
});
afterAll(() => scene.close());
beforeEach(async () => {
  place = await scene.addWorkspace();
  internal = await startLoopbackServer((_request, response) => response.end(), undefined, PRIVATE);
});
afterEach(() => internal.close());
closeAfterEach();

/** What pumps know of destinations, with a guard that permits one address and asks this resolver. */
function findThrough(...answers: string[][]) {
  const guard = guardWith({ allow: [`${PUBLIC}/32`, NAME], resolve: resolverOf(...answers) });
  const { encryption } = scene.contentDeps;
  const send = { guard, encoder: traceEncoder, timeoutMs: 5_000, now: Date.now };
  return { guard, findDestination: createFindDestination(scene.knex, { encryption, send }) };
}

const webhookAt = (url: string): DestinationConfig => ({ type: 'webhook', config: { url, method: 'POST' } });

/** Expects a pause that tells nobody where the request would have gone, and nothing lost by it. */
async function expectPaused(id: string, ...hidden: string[]): Promise<void> {
  expect(internal.connections()).toBe(0);
  const { rows } = await scene.database.query(
    `select p.state, p.dead_letters::integer, p.reason, a.reason attempt, a.status, a.response_excerpt
     from broadcast_progress p join broadcast_attempts a using (destination_id) where destination_id = $1
     order by a.id desc limit 1`,
    [id],
  );
  expect(rows).toMatchObject([{ state: 'needs_attention', dead_letters: 0 }]);
  const told = JSON.stringify([rows, scene.events.filter(({ destinationId }) => destinationId === id)]);
  for (const address of [PUBLIC, PRIVATE, ...hidden]) expect(told).not.toContain(address);
}

const PAUSE = { kind: 'back_off', state: 'needs_attention' };

test.each([[[PRIVATE]], [[PUBLIC, PRIVATE]], [['::ffff:127.0.0.2']], [['169.254.169.254']]])(
  'a public name that later resolves to %p pauses its destination',
  async (rebound) => {
    const reached: (string | undefined)[] = [];
    // It listens at both addresses, so that nothing but the guard keeps a request from it.
    const tool = await startLoopbackServer(
      (request, response) => {
        reached.push(request.socket.localAddress);
        response.setHeader('connection', 'close').end();
      },
      undefined,
      '0.0.0.0',
    );
    const { guard, findDestination } = findThrough([PUBLIC], rebound);
    const url = `http://${NAME}:${tool.port}/hook`;
    guard.checkUrl(url);
    const id = await scene.addDestination(place, webhookAt(url));
    await scene.record(place, 1);
    expect(await scene.pump(id, { findDestination })).toEqual({ kind: 'idle' });
    await scene.record(place, 1);
    expect(await scene.pump(id, { findDestination })).toMatchObject(PAUSE);
    await expectPaused(id, ...rebound);
    expect(reached).toEqual([PUBLIC]);
    expect(tool.connections()).toBe(1);
    await tool.close();
  },
);

test.each([301, 302, 303, 307, 308])(
  'a redirect by %d pauses the destination and is not followed',
  async (status) => {
    const redirect: RequestListener = (_request, response) => {
      response.writeHead(status, { location: `${internal.origin}/secret` }).end('moved');
    };
    const tool = await startLoopbackServer(redirect);
    const { findDestination } = findThrough([]);
    const id = await scene.addDestination(place, webhookAt(tool.origin));
    await scene.record(place, 1);
    expect(await scene.pump(id, { findDestination })).toMatchObject({
      ...PAUSE,
      reason: expect.stringContaining('redirects are not followed'),
    });
    await expectPaused(id);
    await tool.close();
  },
);

/**
 * An address in a configuration that no check has seen: it was allowed once, or somebody wrote it into the database.
 */
describe('a destination at a literal private address', () => {
  test.each([
    ['http://127.0.0.2', PRIVATE],
    ['http://2130706434', PRIVATE],
    ['http://[::ffff:127.0.0.2]', '::ffff'],
    ['https://10.0.0.1', '10.0.0.1'],
    ['https://169.254.169.254', '169.254'],
    ['https://[fd00::1]', 'fd00'],
  ])('pauses at %s without a request', async (origin, hidden) => {
    const { findDestination } = findThrough([]);
    const id = await scene.addDestination(place, webhookAt(`${origin}:${internal.port}/hook`));
    await scene.record(place, 1);
    expect(await scene.pump(id, { findDestination })).toMatchObject(PAUSE);
    await expectPaused(id, hidden);
  });

  const hosted = Object.entries({ ...otlpVendors, ...otherVendors }).filter(
    ([, { fixedOrigin }]) => fixedOrigin === undefined,
  );
  test.each(hosted)('pauses for the type %s', async (_type, vendor) => {
    const { findDestination } = findThrough([]);
    const id = await scene.addDestination(place, vendor.configure(internal.origin));
    await scene.record(place, 1);
    expect(await scene.pump(id, { findDestination })).toMatchObject(PAUSE);
    await expectPaused(id);
  });
});

test('generations kept during a pause arrive once the address is allowed', async () => {
  const received: string[] = [];
  const tool = await startLoopbackServer((request, response) => {
    received.push(request.url ?? '');
    response.end();
  });
  const { findDestination } = findThrough([PRIVATE], [PUBLIC]);
  const id = await scene.addDestination(place, webhookAt(`http://${NAME}:${tool.port}/hook`));
  await scene.record(place, 3);
  expect(await scene.pump(id, { findDestination })).toMatchObject(PAUSE);
  expect(await scene.pump(id, { findDestination })).toEqual({ kind: 'idle' });
  expect(received).toEqual(['/hook']);
  expect(await scene.progress(id)).toMatchObject({ delivered: 3, dead_letters: 0 });
  await tool.close();
});
