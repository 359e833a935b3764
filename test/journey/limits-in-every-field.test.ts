/** Checks that a spending limit holds for a long text, in whatever field of a request it stands. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../support/open-database.ts';
import { createWorkspaceBudgetStore } from '../../db/accounts/workspace-budget-store.ts';
import { parseUsd } from '../../domain/money.ts';
import { addKey, addWorkspace, type IssuedKey } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { addRerankModel, addSpeechModel } from '../support/catalog.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  BY_TOKEN,
  DIALECTS,
  NOT_SENT,
  plantedIn,
  RANK,
  REPLACED,
  SPEAK,
} from '../support/planted-dialects.ts';

/** The address of no server: a request that passes its limit is answered with 502. */
const NOWHERE = 'http://127.0.0.1:9';
const VENDORS = {
  PROVIDER_ANTHROPIC_API_KEY: 'secret',
  PROVIDER_ANTHROPIC_BASE_URL: NOWHERE,
  PROVIDER_OPENAI_API_KEY: 'secret',
  PROVIDER_OPENAI_BASE_URL: NOWHERE,
};

let gateway: Gateway;
let database: Database;

beforeAll(async () => {
  gateway = await startGateway({ env: VENDORS });
  database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  await addRerankModel(gateway, RANK, [BY_TOKEN]);
  await addSpeechModel(gateway, SPEAK, [BY_TOKEN]);
});
afterAll(async () => {
  await database.close();
  await gateway.close();
});

describe.each(DIALECTS)('requests to $path', (dialect) => {
  const limitNanos = parseUsd(dialect.limitUsd);

  test.each<[string, () => Promise<IssuedKey>]>([
    ['a spending limit of the key', () => addKey(gateway, { limitNanos })],
    ['a budget of the workspace', () => addKeyUnderBudget(limitNanos)],
  ])('get 402 for a text beyond %s in every field', async (_, add) => {
    const { token } = await add();
    const caller = createCaller(gateway.origin, token);
    const isUnsent = (path: string): boolean =>
      [NOT_SENT, REPLACED, dialect.dropped].some((places) => places?.test(path));
    const passed: string[] = [];
    let limited = 0;
    for (const { path, body } of plantedIn(dialect)) {
      const { status } = await finished(caller.call('POST', dialect.path, { body }));
      if (status === 402) limited += 1;
      // The gateway refuses some fields, and then nothing is spent either.
      else if (status !== 400 && !isUnsent(path)) passed.push(`${path}: ${status}`);
    }
    expect(passed).toEqual([]);
    expect(limited).toBeGreaterThanOrEqual(dialect.places);
  });
});

async function addKeyUnderBudget(limitNanos: bigint): Promise<IssuedKey> {
  const place = await addWorkspace(gateway);
  await createWorkspaceBudgetStore(database.knex).upsert(place.workspaceId, 'daily', limitNanos);
  return addKey(gateway, place);
}

async function finished(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  await response.arrayBuffer();
  return response;
}
