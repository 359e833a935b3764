import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readDestinationGroups } from '../../db/broadcast/destinations-read-model.ts';
import { createMetrics } from '../../platform/create-metrics.ts';
import { createLogger } from '../../platform/logger.ts';
import { meterDestinations } from '../../worker/destination-metrics.ts';
import { type BroadcastScene, openBroadcastScene } from '../support/broadcast-scene.ts';
import { readScrape } from '../support/scrape.ts';

let scene: BroadcastScene;
beforeAll(async () => {
  scene = await openBroadcastScene();
});
afterAll(() => scene.close());

test('destinations, their backlog and its age are reported by type and state', async () => {
  const place = await scene.addWorkspace();
  const config = { url: 'http://127.0.0.1:1/', method: 'POST' as const };
  const paused = await scene.addDestination(place, { type: 'webhook', config });
  await scene.addDestination(place, { type: 'webhook', config });
  await scene.addDestination(place, { type: 'otel-collector', config: { endpoint: config.url } });
  await scene.addDestination(place, { type: 'webhook', config }, { enabled: false });
  await scene.record(place, 3);
  await scene.database.query(
    `update broadcast_progress set state = 'needs_attention' where destination_id = $1`,
    [paused],
  );
  await scene.database.query(
    `update broadcast_log set moved_at = moved_at - interval '1 second' where pos = 1`,
  );

  const metrics = createMetrics(1);
  const logger = createLogger({ level: 'silent', name: 'test' });
  meterDestinations(metrics, () => readDestinationGroups(scene.knex), logger);
  const { value } = readScrape(await metrics.text());
  const of = (series: string, type: string, state: string): number | undefined =>
    value(`sluice_broadcast_${series}{type="${type}",state="${state}"}`);
  expect(of('destinations', 'webhook', 'idle')).toBe(1);
  expect(of('destinations', 'webhook', 'needs_attention')).toBe(1);
  expect(of('destinations', 'otel-collector', 'idle')).toBe(1);
  expect(of('backlog', 'webhook', 'needs_attention')).toBe(3);
  expect(of('oldest_seconds', 'webhook', 'needs_attention')).toBeGreaterThan(0);
});
