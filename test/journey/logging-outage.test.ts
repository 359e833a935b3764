import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createCaller } from '../support/caller.ts';
import { askChat, completed, readEvents, textOf } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getContent, getGeneration } from '../support/generation-reads.ts';
import { startSilentServer } from '../support/silent-server.ts';
import { updateWorkspace } from '../support/workspaces.ts';

async function switchLoggingOn(gateway: Gateway): Promise<void> {
  await updateWorkspace(createCaller(gateway.origin, gateway.managementKey), gateway.workspaceId, {
    is_observability_io_logging_enabled: true,
  });
}

/** Both kinds of answers, whole; returns their ids. */
async function answers(gateway: Gateway): Promise<[string, string]> {
  const { id } = await completed(await askChat(gateway, {}));
  const chunks = await readEvents(await askChat(gateway, { stream: true }));
  expect(textOf(chunks)).toBe('You said: Hello there');
  return [id, chunks[0]!.id];
}

describe('an answer whose log cannot be stored', () => {
  test('arrives whole when the object store never answers', async () => {
    const silence = await startSilentServer();
    const gateway = await startGateway({
      env: {
        OBJECT_STORE: 's3://sluice-test',
        S3_ENDPOINT: `http://${silence.address}`,
        S3_ACCESS_KEY_ID: 'key',
        S3_SECRET_ACCESS_KEY: 'secret',
      },
    });
    try {
      await switchLoggingOn(gateway);
      const owner = createCaller(gateway.origin, gateway.apiKey);
      for (const id of await answers(gateway)) {
        expect((await getGeneration(owner, id)).id).toBe(id);
      }
    } finally {
      await silence.close();
      await gateway.close();
    }
  });

  test('arrives whole when the object store fails, and its content answers 404', async () => {
    const gateway = await startGateway();
    try {
      await switchLoggingOn(gateway);
      // A file where a folder must be.
      await writeFile(path.join(gateway.objectsFolder, 'logged'), '');
      const ids = await answers(gateway);
      await eventually('the attempt to log both', async () => {
        const { rowCount } = await gateway.database.query('select from logged_bodies');
        return rowCount === 2 ? true : undefined;
      });
      const owner = createCaller(gateway.origin, gateway.apiKey);
      for (const id of ids) expect((await getContent(owner, id)).status).toBe(404);
    } finally {
      await gateway.close();
    }
  });
});
