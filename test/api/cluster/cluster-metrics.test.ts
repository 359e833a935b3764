import { expect, test } from '@jest/globals';
import type { Child, ChildExit } from '../../../api/cluster/child.ts';
import { createClusterMetrics } from '../../../api/cluster/cluster-metrics.ts';
import { createMetrics } from '../../../platform/create-metrics.ts';
import { NO_METRICS } from '../../../platform/metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { readScrape, type Scrape } from '../../support/scrape.ts';

/** A child of which the tests say when it answers and ends. */
interface PlayedChild extends Child {
  count(): void;
  /** From now on it answers nobody, until the returned function is called. */
  hang(): () => void;
  end(): void;
}

function playChild(): PlayedChild {
  const metrics = createMetrics(0);
  const count = metrics.counter({ name: 'sluice_cups_total', help: 'Cups.' })({});
  metrics.gauge({
    name: 'sluice_held',
    help: 'A value.',
    aggregation: 'sum',
    read: () => [{ labels: {}, value: 1 }],
  });
  const { promise: exited, resolve: exit } = Promise.withResolvers<ChildExit>();
  let answers = Promise.resolve();
  return {
    number: 1,
    ready: Promise.resolve(),
    exited,
    async metrics() {
      await answers;
      return JSON.parse(JSON.stringify(await metrics.snapshot()));
    },
    onWrongKey: () => {},
    send: () => {},
    kill: () => {},
    count,
    hang() {
      const { promise, resolve } = Promise.withResolvers<void>();
      answers = promise;
      return resolve;
    },
    end: () => exit({ code: null, signal: 'SIGKILL' }),
  };
}

const CUPS = 'sluice_cups_total';
const HELD = 'sluice_held';

async function startCluster(withinMs?: number) {
  const children = [playChild(), playChild()] as const;
  const cluster = createClusterMetrics(NO_METRICS, withinMs);
  for (const child of children) cluster.watch(child);
  await Promise.all(children.map(({ ready }) => ready));
  const show = async (): Promise<Scrape> => readScrape(await cluster.text());
  return { children, cluster, show };
}

test("the cluster's metrics add up those of all children", async () => {
  const { children, show } = await startCluster();
  children[0].count();
  children[1].count();
  children[1].count();
  const { value } = await show();
  expect([value(CUPS), value(HELD)]).toEqual([3, 2]);
});

test("the counts of an ended child stay, and its successor's are added", async () => {
  const { children, cluster, show } = await startCluster();
  children[0].count();
  children[1].count();
  expect((await show()).value(CUPS)).toBe(2);
  children[0].end();
  await eventually('the end', async () => ((await show()).value(HELD) === 1 ? true : undefined));
  expect((await show()).value(CUPS)).toBe(2);
  const successor = cluster.watch(playChild()) as PlayedChild;
  await successor.ready;
  successor.count();
  const { value } = await show();
  expect([value(CUPS), value(HELD)]).toEqual([3, 2]);
  successor.end();
  children[1].end();
  await eventually('the end of all', async () =>
    (await show()).value(HELD) === undefined ? true : undefined,
  );
  expect((await show()).value(CUPS)).toBe(3);
});

test('a hanging child delays no scrape; its counts stay, and its gauges are left out', async () => {
  const { children, show } = await startCluster(50);
  children[0].count();
  children[1].count();
  await show();
  const goOn = children[0].hang();
  children[0].count();
  const { value } = await show();
  expect([value(CUPS), value(HELD)]).toEqual([2, 1]);
  goOn();
  await eventually('the answer', async () => ((await show()).value(CUPS) === 3 ? true : undefined));
  expect((await show()).value(HELD)).toBe(2);
});

test('a child that ends during a scrape is counted once', async () => {
  const { children, show } = await startCluster(50);
  children[0].count();
  await show();
  const goOn = children[0].hang();
  const shown = show();
  children[0].end();
  goOn();
  expect((await shown).value(CUPS)).toBe(1);
});
