import { afterAll, describe, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import pg from 'pg';
import { createTestDatabase } from '../support/database.ts';
import { createTestNamespace } from '../support/temporal.ts';

const cleanUps: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(cleanUps.map((cleanUp) => cleanUp())));

async function openDatabase(): Promise<pg.Client> {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  cleanUps.push(async () => {
    await client.end();
    await database.drop();
  });
  return client;
}

describe('a test database', () => {
  test('has the newest schema and no rows of a concurrent one', async () => {
    const [first, ...others] = await Promise.all([openDatabase(), openDatabase(), openDatabase()]);
    const id = '00000000-0000-4000-8000-000000000001';
    await first.query('insert into organizations (id, name) values ($1, $2)', [id, 'mine']);
    for (const other of others) {
      expect((await other.query('select from organizations')).rowCount).toBe(0);
    }
  });

  test('disappears with drop, even while a client is connected', async () => {
    const database = await createTestDatabase();
    const connected = new pg.Client({ connectionString: database.url });
    const cutOff = new Promise((resolve) => connected.on('error', resolve));
    await connected.connect();
    await database.drop();
    await cutOff;
    await expect(new pg.Client({ connectionString: database.url }).connect()).rejects.toThrow(
      'does not exist',
    );
  });
});

describe('a test namespace', () => {
  test('accepts the workflow ids and search attributes of another one', async () => {
    for (let suite = 0; suite < 2; suite += 1) {
      const { connection, namespace, close } = await createTestNamespace();
      cleanUps.push(close);
      const { workflow } = new Client({ connection, namespace });
      const handle = await workflow.start('generateVideo', {
        workflowId: 'the-same-id',
        taskQueue: 'video',
        searchAttributes: { SluiceModel: ['local/sketch'] },
      });
      const { status } = await handle.describe();
      expect(status.name).toBe('RUNNING');
    }
  });
});
