import { describe, expect, test } from '@jest/globals';
import { encodeGenerations, INPUT_COLUMNS } from '../../../db/ledger/ledger-rows.ts';
import {
  APPEND_GENERATIONS,
  APPEND_OF_KNOWN_APPS,
  RECORD_GENERATIONS,
} from '../../../db/ledger/ledger-statement.ts';
import { makeGeneration } from '../../support/make-generation.ts';

const { names } = RECORD_GENERATIONS;

describe('the statement of the ledger', () => {
  test('names its values in the order in which they are encoded', () => {
    const columns = INPUT_COLUMNS.map(({ name }) => name);
    expect(names).toEqual(['shard', ...columns, 'app_origins', 'app_titles']);
    expect(APPEND_GENERATIONS.names).toEqual(names);
    expect(APPEND_OF_KNOWN_APPS.names).toEqual(names.slice(0, -2));
  });

  test('gets the values of a generation at the places of their names', () => {
    const app = { origin: 'https://app.example', title: 'An app' };
    const generation = makeGeneration({ app, model: 'acme/fast', provider: 'acme' });
    const values = encodeGenerations([generation], 7, new Map());
    const valueOf = (name: string) => values[names.indexOf(name)];
    expect(values).toHaveLength(names.length);
    expect({
      shard: valueOf('shard'),
      model: valueOf('model'),
      provider: valueOf('provider'),
      streamed: valueOf('streamed'),
      app: [valueOf('app_id'), valueOf('app_n'), valueOf('app_origins'), valueOf('app_titles')],
    }).toEqual({
      shard: 7,
      model: '{"acme/fast"}',
      provider: '{"acme"}',
      streamed: `{${generation.streamed}}`,
      app: ['{NULL}', '{1}', ['https://app.example'], ['An app']],
    });
  });
});
