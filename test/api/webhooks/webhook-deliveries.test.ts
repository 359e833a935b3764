import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeliveryPage } from '../../../db/webhooks/webhook-read-model.ts';
import type { WebhookDelivery } from '../../../db/webhooks/webhook-store.ts';
import { webhookDeliveryOperations } from '../../../contract/webhooks/webhook-deliveries.ts';
import { asManagement } from '../support/fake-services.ts';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

const { listWebhookDeliveries, replayWebhookDelivery } = webhookDeliveryOperations;

const delivery: WebhookDelivery = {
  id: '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21',
  jobId: 'gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0',
  organizationId: '6f1c2c1e-5a3a-4b61-9a53-0f2c6f3d1f10',
  workspaceId: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  eventId: 'gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0-failed',
  eventType: 'video.generation.failed',
  url: 'https://app.example.com/hook',
  payload: '{"secret":"prompt"}',
  status: 'exhausted',
  replays: 0,
  createdAt: new Date(0),
  completedAt: new Date(1),
};

const pages: DeliveryPage[] = [];
let api: ServedApi;
beforeAll(async () => {
  api = await serveApi({
    webhooks: {
      listDeliveries: async (_principal, page) => {
        pages.push(page);
        const attempt = {
          deliveryId: delivery.id,
          replay: 0,
          attempt: 1,
          outcome: 'refused' as const,
          statusCode: null,
          reason: 'private_address',
          responseExcerpt: null,
          startedAt: new Date(0),
          finishedAt: null,
        };
        return { deliveries: [{ ...delivery, attempts: [attempt] }], totalCount: 1 };
      },
      replay: async (_actor, id) => ({
        ...delivery,
        id,
        status: 'pending',
        replays: 1,
        completedAt: null,
      }),
    },
  });
});
afterAll(() => api.close());

test('GET /webhooks/deliveries lists deliveries with attempts and without payloads', async () => {
  const query = `workspace_id=${delivery.workspaceId}&job_id=${delivery.jobId}&status=exhausted&limit=1`;
  const answer = await fetch(`${api.origin}/api/v1/webhooks/deliveries?${query}`, { headers: asManagement });
  const body = await answer.json();
  expect(listWebhookDeliveries.responses[200].schema.parse(body)).toEqual(body);
  expect(JSON.stringify(body)).not.toContain('prompt');
  const { workspaceId, jobId } = delivery;
  expect(pages).toEqual([{ limit: 1, offset: 0, workspaceId, jobId, status: 'exhausted' }]);
});

test('POST /webhooks/deliveries/{id}/replay answers 202 with a pending delivery', async () => {
  const path = `/api/v1/webhooks/deliveries/${delivery.id}/replay`;
  const answer = await fetch(api.origin + path, { method: 'POST', headers: asManagement });
  expect(answer.status).toBe(202);
  const body = await answer.json();
  expect(replayWebhookDelivery.responses[202].schema.parse(body)).toEqual(body);
  expect(body).toMatchObject({ data: { status: 'pending', replays: 1 } });
});
