import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import { InternLifecycleError } from '@openrouter/sdk/models/errors';
import type { Gateway } from '../support/gateway.ts';
import { startInternGateway } from '../support/interns.ts';
import { publishedClient } from '../support/published-client.ts';

let gateway: Gateway;
let client: OpenRouter;

beforeAll(async () => {
  gateway = await startInternGateway();
  client = publishedClient(gateway, gateway.apiKey);
});

afterAll(() => gateway.close());

async function statusOfFailure(work: Promise<unknown>): Promise<number> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(InternLifecycleError);
  return (error as InternLifecycleError).statusCode;
}

describe('the published client', () => {
  test('creates, repeats, reads, changes and deletes an intern', async () => {
    const body = { name: 'By the client', description: 'Writes', workspaceId: gateway.workspaceId };
    const intern = await client.interns.createIntern({ createInternRequest: body });
    expect(intern).toMatchObject({ ...body, status: 'queued', attachedVaultId: null });
    expect(await client.interns.createIntern({ createInternRequest: body })).toEqual(intern);
    expect(await client.interns.getIntern({ internId: intern.id })).toEqual(intern);

    const borrower = await client.interns.createIntern({
      idempotencyKey: 'a-borrower',
      createInternRequest: { name: 'Borrower', vaultId: intern.vaultId! },
    });
    expect(borrower.attachedVaultId).toBe(intern.vaultId);
    expect(
      await client.interns.createIntern({
        idempotencyKey: 'a-borrower',
        createInternRequest: { name: 'Borrower', vaultId: intern.vaultId! },
      }),
    ).toEqual(borrower);

    const changed = await client.interns.updateIntern({
      internId: intern.id,
      updateInternRequest: { model: 'openai/gpt-5.1', description: null },
    });
    expect(changed).toMatchObject({ model: 'openai/gpt-5.1', description: null, name: body.name });
    const deleted = await client.interns.deleteIntern({ internId: intern.id, deleteInternRequest: {} });
    expect(deleted).toEqual({ deleting: true });
  });

  test('reads the list page by page', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      made.push((await client.interns.createIntern({ createInternRequest: { name: `Page ${n}` } })).id);
    }
    const seen: string[] = [];
    let startingAfter: string | undefined;
    do {
      const page = await client.interns.listInterns({
        limit: 2,
        status: ['queued', 'running'],
        ...(startingAfter === undefined ? {} : { startingAfter }),
      });
      expect(page.hasMore).toBe(page.nextCursor !== undefined);
      seen.push(...page.data.map(({ id }) => id));
      startingAfter = page.nextCursor;
    } while (startingAfter !== undefined);
    expect(seen.slice(0, 5)).toEqual(made.toReversed());
    expect((await client.interns.listInterns()).data.map(({ id }) => id)).toEqual(seen);
  });

  test('throws InternLifecycleError with the status of each refusal', async () => {
    const internId = '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';
    const { interns } = client;
    const taken = { name: 'Taken' };
    await interns.createIntern({ createInternRequest: taken });
    const failures = [
      interns.createIntern({ createInternRequest: { ...taken, description: 'Other' } }),
      interns.createIntern({ createInternRequest: { name: 'Hosted', provision: true } }),
      interns.getIntern({ internId }),
      interns.updateIntern({ internId, updateInternRequest: {} }),
      interns.deleteIntern({ internId, deleteInternRequest: {} }),
      interns.listInterns({ startingAfter: 'x' }),
    ];
    expect(await Promise.all(failures.map(statusOfFailure))).toEqual([409, 400, 404, 400, 404, 400]);
  });
});
