import { describe, expect, test } from '@jest/globals';
import dashboard from '../../docs/ops/dashboard.json' with { type: 'json' };
import { readRootFile, readYaml } from './deployment-files.ts';

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

const { groups } = readYaml('docs/ops/alerts.yaml') as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { scrape_configs: jobs } = readYaml('docs/ops/prometheus.yaml') as {
  scrape_configs: { job_name: string }[];
};
const runbook = readRootFile('docs/ops/alerts.md');
const headings = [...runbook.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
const charts = dashboard.panels.filter(({ type }) => type === 'timeseries');
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...charts.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

describe('alerts', () => {
  test('have unique names', () => {
    const names = rules.map(({ alert }) => alert);
    expect(names.length).toBeGreaterThan(10);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
  });

  test.each(rules)('$alert has a severity, a summary, a description and a link to its runbook', (rule) => {
    expect(rule.alert).toMatch(/^Sluice[A-Z]\w+$/);
    expect(rule.for ?? '0m').toMatch(/^\d+m$/);
    expect(['page', 'ticket']).toContain(rule.labels['severity']);
    expect(Object.keys(rule.annotations)).toEqual(['summary', 'description', 'runbook']);
    for (const text of Object.values(rule.annotations)) expect(text).toMatch(/\w{3}/);
    expect(rule.annotations['runbook']).toBe(`docs/ops/alerts.md#${rule.alert.toLowerCase()}`);
  });

  test('have one section each in docs/ops/alerts.md, in the same order', () => {
    expect(headings).toEqual(rules.map(({ alert }) => alert));
  });

  test('have a runbook that names only panels of the dashboard', () => {
    const named = [...runbook.matchAll(/panels? ((?:"[^"]+"(?: and )?)+)/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/"([^"]+)"/g)].map(([, title]) => title),
    );
    expect(named).toContain('Errors by operation');
    expect(charts.map(({ title }) => title)).toEqual(expect.arrayContaining(named));
  });
});

describe('the dashboard', () => {
  test('gives every panel a unique id and every chart a description', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { title, description } of charts)
      expect([title, description]).toEqual([title, expect.any(String)]);
  });
});

test.each(expressions)('the expression of %s uses series that Prometheus collects', (_name, expr) => {
  const names = expr.match(/\b(sluice|temporal|process)_[a-z_]+(?=[{[\s)/]|$)|\bup(?=\{)/g) ?? [];
  expect(names.length).toBeGreaterThan(0);
  for (const [open, close] of ['()', '[]', '{}'] as const) {
    expect(expr.split(open!).length).toBe(expr.split(close!).length);
  }
  const named = [...expr.matchAll(/job="([^"]+)"/g)].map(([, job]) => job);
  expect(jobs.map((job) => job.job_name)).toEqual(expect.arrayContaining(named));
});
