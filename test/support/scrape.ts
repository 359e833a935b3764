import { strictEqual } from 'node:assert/strict';
import { eventually } from './eventually.ts';

/** What a process shows under /metrics. */
export interface Scrape {
  /** The value of a series, such as `up{job="x"}`; undefined when it is not shown. */
  value(series: string): number | undefined;
  /** The product's own series that are shown. */
  series: string[];
  /** Names and types as they are declared. */
  types: Map<string, string>;
}

export async function scrape(port: number): Promise<Scrape> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const text = await response.text();
  strictEqual(response.status, 200, text);
  return readScrape(text);
}

export function readScrape(text: string): Scrape {
  const lines = text.split('\n').filter((line) => line !== '');
  const values = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of lines) {
    const [, name, type] = /^# TYPE (\S+) (\w+)$/.exec(line) ?? [];
    if (name !== undefined) types.set(name, type!);
    if (line.startsWith('#')) continue;
    const space = line.lastIndexOf(' ');
    const series = line.slice(0, space);
    strictEqual(values.has(series), false, `${series} is shown twice`);
    values.set(series, Number(line.slice(space + 1)));
  }
  return {
    types,
    value: (series) => values.get(series),
    series: [...values.keys()].filter((series) => series.startsWith('sluice_')),
  };
}

/** Scrapes until a series has this value, such as that of a request whose answer is being sent. */
export function scrapeUntil(port: number, series: string, value: number): Promise<Scrape> {
  return eventually(`${series} ${value}`, async () => {
    const seen = await scrape(port);
    return seen.value(series) === value ? seen : undefined;
  });
}
