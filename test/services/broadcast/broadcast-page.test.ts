import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { configSchemas } from '../../../contract/broadcast/destination-configs.ts';
import { DELIVERY_STATES, DESTINATION_TYPES } from '../../../domain/broadcast/destination.ts';
import { FILTER_FIELDS, FILTER_OPERATORS } from '../../../domain/broadcast/filter-rules.ts';
import { SLUICE, SLUICE_COST_OF_KIND } from '../../../domain/broadcast/semantic-names.ts';
import { CLICKHOUSE_TABLE, SNOWFLAKE_TABLE } from '../../support/table-definitions.ts';

const page = await readFile(new URL('../../../docs/broadcast.md', import.meta.url), 'utf8');

/** The cells of the rows that begin with a name in code, in the section with this title. */
function rowsOf(title: string): Map<string, string[]> {
  const rows = sectionOf(title).matchAll(/^\| `([^`]+)` +\|(.*)\|$/gm);
  return new Map(
    [...rows].map(([, name = '', rest = '']) => [name, rest.split('|').map((cell) => cell.trim())]),
  );
}

function sectionOf(title: string): string {
  const [, rest = ''] = page.split(`\n${title}\n`);
  return rest.split(/\n##+ /)[0]!;
}

/** `name`, `name?` where it is optional, `name=default` where it has one. */
function fieldsOf(type: (typeof DESTINATION_TYPES)[number]): string[] {
  return Object.entries(configSchemas[type].shape)
    .filter(([name]) => name !== 'headers')
    .map(([name, schema]) => {
      const absent = schema.safeParse(undefined);
      if (!absent.success) return name;
      return absent.data === undefined ? `${name}?` : `${name}=${String(absent.data)}`;
    });
}

describe('docs/broadcast.md', () => {
  const types = rowsOf('## Types');

  test('has a row for every type and for nothing else', () => {
    expect([...types.keys()]).toEqual([...DESTINATION_TYPES]);
  });

  test.each(DESTINATION_TYPES)('names the configuration of %s with its defaults', (type) => {
    const named = types
      .get(type)![0]!
      .match(/`[^`]+`/g)!
      .map((text) => text.slice(1, -1));
    expect(named).toEqual(expect.arrayContaining(fieldsOf(type)));
  });

  test.each(DESTINATION_TYPES)('says how %s was tried', (type) => {
    expect(types.get(type)!.at(-1)).not.toBe('');
  });

  test.each([
    ['### ClickHouse', CLICKHOUSE_TABLE],
    ['### Snowflake', SNOWFLAKE_TABLE],
  ])('repeats under %s the table definition of the code', (title, definition) => {
    expect(/^```sql\n(.*?)\n```$/ms.exec(sectionOf(title))?.[1]).toBe(definition);
  });

  test('explains every delivery state', () => {
    expect([...rowsOf('## Delivery').keys()]).toEqual([...DELIVERY_STATES]);
  });

  test.each([...FILTER_FIELDS, ...FILTER_OPERATORS])('names %s among the filters', (name) => {
    expect(sectionOf('## Which generations are sent')).toContain(`\`${name}\``);
  });

  test('names every attribute that a flag adds', () => {
    const { cost, upstreamCost, isByok, creatorId, apiKeyName, apiKeyHash, organizationId } = SLUICE;
    const { workspaceId, referer, title, country } = SLUICE;
    const section = sectionOf('## What a span says');
    for (const name of [cost, upstreamCost, isByok, creatorId, apiKeyName, apiKeyHash, organizationId])
      expect(section).toContain(`\`${name}\``);
    for (const name of [workspaceId, referer, title, country]) expect(section).toContain(`\`${name}\``);
    for (const name of Object.values(SLUICE_COST_OF_KIND)) {
      expect(section).toContain(`.${name.split('.').at(-1)}\``);
    }
  });
});
