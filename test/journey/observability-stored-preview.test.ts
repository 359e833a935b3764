import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newGenerationId } from '../../domain/ids.ts';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, visibleParts } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import { draftOf, makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let manager: Caller;
let generationId: string;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  // A destination of the workspace must exist before, so that prompt and answer are kept for it.
  const { id } = await makeDestination(manager);
  generationId = (await completed(await askChat(gateway, { temperature: 0.5 }))).id;
  await eventually('prompt and answer, which are written after the answer', async () => {
    const text = await (await show(id, generationId)).text();
    return text.includes('Hello there') ? true : undefined;
  });
});

afterAll(() => gateway.close());

function show(id: string, generation: string, by = manager): Promise<Response> {
  return by.call('GET', `/observability/destinations/${id}/preview?generation_id=${generation}`);
}

describe('GET /observability/destinations/{id}/preview', () => {
  const dataOf = async (response: Response): Promise<object> => {
    expect(response.status).toBe(200);
    return ((await response.json()) as { data: object }).data;
  };
  const previewed = async (fields: object): Promise<object> => {
    const { id } = await makeDestination(manager, { enabled: false, ...fields });
    return dataOf(await show(id, generationId));
  };
  const previewOfDraft = async (fields: object): Promise<object> => {
    const body = draftOf('webhook', { generation_id: generationId, ...fields });
    return dataOf(await manager.call('POST', '/observability/destinations/preview', { body }));
  };

  test('answers as the preview of a draft with the same settings does', async () => {
    expect(await previewed({})).toEqual(await previewOfDraft({}));
    const regions = { regions: ['us'] };
    expect(await previewed(regions)).toEqual(await previewOfDraft(regions));
  });

  test('omits what privacy mode and the flags of the destination leave out', async () => {
    const preview = await previewed({ privacy_mode: true, broadcast_generation_cost: true });
    expect(preview).toMatchObject({ sent: true });
    expect(JSON.stringify(preview)).toContain('gen_ai.usage.cost');
    expect(JSON.stringify(preview)).not.toContain('Hello there');
  });

  test('answers 404 for generations and destinations of others, as for unknown ones', async () => {
    const { id } = await makeDestination(manager, { enabled: false });
    const { workspaceId } = await addWorkspace(gateway);
    const elsewhere = await makeDestination(manager, { workspace_id: workspaceId });
    const foreign = await addKey(gateway, { ...(await addOrganization(gateway)), kind: 'management' });
    const foreigner = createCaller(gateway.origin, foreign.token);
    const unknown = await visibleParts(await show(id, newGenerationId(Date.now())));
    for (const response of [
      await show(elsewhere.id, generationId),
      await show(id, generationId, foreigner),
      await show(id, 'x'),
      await show('x', generationId),
    ]) {
      expect(await visibleParts(response)).toEqual(unknown);
    }
  });
});
