import { describe, expect, test } from '@jest/globals';
import { createConnectionMeters } from '../../api/http/connection-metrics.ts';
import { createRequestMetrics } from '../../api/http/request-metrics.ts';
import { meterPools } from '../../db/postgres/pool-metrics.ts';
import dashboard from '../../docs/ops/dashboard.json' with { type: 'json' };
import { createAnswersInFlight } from '../../platform/answers-in-flight.ts';
import { meterEventLoop } from '../../platform/create-metrics.ts';
import type { Metrics, Series } from '../../platform/metrics.ts';
import { createLookUpMeters } from '../../services/accounts/identity/unknown-keys.ts';
import { createLedgerMetrics, meterSpool } from '../../services/ledger/ledger-metrics.ts';
import { createWaitMetrics } from '../../services/ledger/spending/wait-metrics.ts';
import { createRequestsInFlight } from '../../services/rate-limits/requests-in-flight.ts';
import { createAttemptMetrics } from '../../services/routing/attempt-metrics.ts';
import { meterCircuits } from '../../services/routing/circuit-metrics.ts';
import { createEndpointHealth } from '../../services/routing/endpoint-health.ts';
import { createBillMetrics } from '../../services/ledger/bill-metrics.ts';
import { meterBacklog } from '../../worker/backlog-metrics.ts';
import { meterDestinations } from '../../worker/destination-metrics.ts';
import { shareSlots } from '../../worker/slots.ts';
import { readRootFile, readYaml } from './deployment-files.ts';

/** A row of the tables in docs/ops/metrics.md. */
type Row = { name: string; type: string; labels: string[]; aggregation: string };

/** Registers everything with something that only writes it down. */
function registered(): Row[] {
  const rows: Row[] = [];
  const note = (type: string, { name, labels = [] }: Series<string>, aggregation = 'sum'): void =>
    void rows.push({ name, type, labels: [...labels], aggregation });
  const metrics: Metrics = {
    counter(series) {
      note('counter', series);
      return () => () => {};
    },
    histogram(series) {
      note('histogram', series);
      return () => () => {};
    },
    gauge: (series) => note('gauge', series, series.aggregation),
  };
  createRequestMetrics(metrics);
  createLookUpMeters(metrics, () => 0);
  createConnectionMeters(metrics, { limit: 0, open: () => 0, waiting: () => 0 });
  createAnswersInFlight({ memoryBytes: 1, maxTextBytes: 1, maxEventBytes: 1, maxMediaBytes: 1, metrics });
  createRequestsInFlight({ maxOfKey: 1, maxOfOrganization: 1, metrics });
  createAttemptMetrics(metrics, { hasProvider: () => true });
  meterCircuits(metrics, createEndpointHealth(), { liveModels: () => [] });
  createLedgerMetrics(metrics);
  createWaitMetrics(metrics);
  createBillMetrics(metrics);
  meterSpool(metrics, { bytes: () => 0 }, 0);
  meterPools(metrics, {});
  meterEventLoop(metrics);
  meterBacklog(metrics, () => Promise.reject(), { warn: () => {} });
  meterDestinations(metrics, () => Promise.reject(), { warn: () => {} });
  shareSlots(metrics);
  return rows;
}

const page = readRootFile('docs/ops/metrics.md');
const documented = [...page.matchAll(/^\| `(sluice_\w+)` +\| (\w+) +\| ([^|]*) \| (\w+) +\|/gm)].map(
  ([, name = '', type = '', labels = '', aggregation = '']): Row => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
    aggregation,
  }),
);

const byName = (a: Row, b: Row): number => a.name.localeCompare(b.name);

test('docs/ops/metrics.md has every series, with type, labels and aggregation', () => {
  expect(documented.toSorted(byName)).toEqual(registered().toSorted(byName));
});

interface Expressions {
  groups: { rules: { expr: string }[] }[];
}

const expressions: [string, string[]][] = [
  [
    'docs/ops/alerts.yaml',
    (readYaml('docs/ops/alerts.yaml') as Expressions).groups.flatMap(({ rules }) =>
      rules.map(({ expr }) => expr),
    ),
  ],
  [
    'docs/ops/dashboard.json',
    dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ],
];

/** Labels that Prometheus adds. */
const OF_PROMETHEUS = ['le', 'job', 'instance'];

describe.each(expressions)('%s', (_, all) => {
  const known = new Map(registered().map((row) => [row.name, row]));
  const own = all.filter((expr) => expr.includes('sluice_'));
  const namesIn = (expr: string): string[] => expr.match(/\bsluice_[a-z_]+/g) ?? [];
  const seriesOf = (name: string): Row | undefined =>
    known.get(name) ?? known.get(name.replace(/_(bucket|sum|count)$/, ''));

  test('uses only registered series', () => {
    expect(own.length).toBeGreaterThan(10);
    expect(own.flatMap(namesIn).filter((name) => seriesOf(name) === undefined)).toEqual([]);
  });

  test.each(own)('uses only labels that its series have: %s', (expr) => {
    const has = [...OF_PROMETHEUS, ...namesIn(expr).flatMap((name) => seriesOf(name)?.labels ?? [])];
    const matched = [...expr.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label);
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
    expect([...matched, ...grouped].filter((label) => !has.includes(label!))).toEqual([]);
  });
});
