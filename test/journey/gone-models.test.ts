import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runCatalog } from '../../admin/catalog.ts';
import { errorOf } from '../support/caller.ts';
import { addChatModel, addVideoModel } from '../support/catalog.ts';
import { askChat, completed, ledgerRow } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { createDatabase, type Database } from '../support/open-database.ts';

const MODEL = 'acme/talk';
const CLIP = 'acme/clip';

let gateway: Gateway;
let database: Database;

beforeAll(async () => {
  const env = { PROVIDER_FIRST_API_KEY: 'upstream-key', PROVIDER_SECOND_API_KEY: 'upstream-key' };
  gateway = await startGateway({ worker: ['video'], env });
  database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  const [first, second] = ['first', 'second'].map((provider) => ({ provider, adapter: 'local' }));
  await addChatModel(gateway, MODEL, [first!, second!]);
  await addVideoModel(gateway, CLIP, [first!, second!]);
});
afterAll(async () => {
  await database.close();
  await gateway.close();
});
beforeEach(() => {
  gateway.upstream.clearFaults();
});

/** Lets the upstream lack the model for so many requests. */
function loseModel(on: 'chat' | 'create', times = 1, status = 404): void {
  const message = 'The model `talk` has been deprecated';
  gateway.upstream.addFaults({ kind: 'status', on, status, code: 'model_not_found', message, times });
}

/** Returns what `admin catalog list` says about an endpoint. */
async function stateOf(endpoint: string): Promise<string | undefined> {
  const { text } = await runCatalog(database.knex, ['list']);
  return text.split('\n').find((line) => line.includes(endpoint));
}

describe('a request for a model that its provider no longer has', () => {
  test.each([404, 400, 410])('goes on to the next endpoint after a %i', async (status) => {
    loseModel('chat', 1, status);
    const { id } = await completed(await askChat(gateway, { model: MODEL }));
    const { provider_responses: responses } = await ledgerRow(gateway, id);
    expect(responses.map((one) => one.endpoint_id)).toEqual([`${MODEL}@first`, `${MODEL}@second`]);
  });

  test('goes on to the next model of the request', async () => {
    loseModel('chat', 2);
    const answer = await completed(
      await askChat(gateway, { model: undefined, models: [MODEL, 'local/echo-1'] }),
    );
    expect(answer.model).toBe('local/echo-1');
  });

  test('returns a 502 that is not retryable when no endpoint is left', async () => {
    loseModel('chat', 2);
    const { code, metadata } = await errorOf(await askChat(gateway, { model: MODEL }));
    expect([code, metadata]).toEqual([502, { reason: 'provider_model_gone', retryable: false }]);
  });

  test('marks the endpoint for the operator, and does not disable it', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const state = await eventually('the mark', async () => {
      const line = await stateOf(`${MODEL}@first`);
      return line?.includes('gone') === true ? line : undefined;
    });
    expect(state).toContain(`on, model gone since ${today}`);
    const { id } = await completed(await askChat(gateway, { model: MODEL }));
    const { provider_responses: responses } = await ledgerRow(gateway, id);
    expect(responses.map((one) => one.endpoint_id)).toEqual([`${MODEL}@first`]);
    expect(await stateOf('local/echo-1@local')).not.toContain('gone');
  });

  test('makes a video at the next endpoint', async () => {
    loseModel('create');
    const { id } = await submit(gateway, { model: CLIP });
    expect(await ended(gateway, id)).toMatchObject({ status: 'completed' });
    expect(await stateOf(`${CLIP}@first`)).toContain('model gone since');
  });
});
