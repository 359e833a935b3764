import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import {
  BadRequestResponseError,
  ForbiddenResponseError,
  NotFoundResponseError,
} from '@openrouter/sdk/models/errors';
import { askChat, completed } from '../support/chat.ts';
import { createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient, thrownBy } from '../support/published-client.ts';

let gateway: Gateway;
let client: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway();
  client = clientOf(gateway.managementKey);
});

afterAll(() => gateway.close());

const clientOf = (apiKey: string) => publishedClient(gateway, apiKey);

describe('the published client', () => {
  test('creates, finds, changes and deletes a key', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { data, key } = await client.apiKeys.create({
      requestBody: {
        name: 'By the client',
        limit: 1,
        limitReset: 'monthly',
        includeByokInLimit: true,
        expiresAt,
        workspaceId: gateway.workspaceId,
        external: { user: 'customer-1' },
      },
    });
    expect(data).toMatchObject({
      name: 'By the client',
      limit: 1,
      limitRemaining: 1,
      limitReset: 'monthly',
      includeByokInLimit: true,
      expiresAt,
      externalUser: 'customer-1',
      workspaceId: gateway.workspaceId,
      usage: 0,
      byokUsageMonthly: 0,
    });

    const { usage } = await completed(await askChat(gateway, {}, createCaller(gateway.origin, key)));
    const cost = usage!.cost!;
    const { data: used } = await client.apiKeys.get({ hash: data.hash });
    expect(used).toMatchObject({ usage: cost, usageDaily: cost, usageWeekly: cost, usageMonthly: cost });
    const { data: own } = await clientOf(key).apiKeys.getCurrentKeyMetadata();
    expect(own).toMatchObject({ usage: cost, limitRemaining: used.limitRemaining, isFreeTier: false });

    const { data: listed } = await client.apiKeys.list({ includeDisabled: false, offset: 0 });
    expect(listed.find(({ hash }) => hash === data.hash)).toEqual(used);

    const { data: changed } = await client.apiKeys.update({
      hash: data.hash,
      requestBody: { name: 'Renamed', disabled: true, limit: null, limitReset: null },
    });
    expect(changed).toMatchObject({ name: 'Renamed', disabled: true, limit: null, limitRemaining: null });
    expect(await client.apiKeys.delete({ hash: data.hash })).toEqual({ deleted: true });
  });

  test('throws its own error class for 400, 403 and 404', async () => {
    const hash = 'f'.repeat(64);
    expect(await thrownBy(client.apiKeys.get({ hash }))).toBeInstanceOf(NotFoundResponseError);
    expect(await thrownBy(client.apiKeys.delete({ hash }))).toBeInstanceOf(NotFoundResponseError);
    expect(await thrownBy(client.apiKeys.update({ hash, requestBody: {} }))).toBeInstanceOf(
      BadRequestResponseError,
    );
    expect(await thrownBy(client.apiKeys.create({ requestBody: { name: '' } }))).toBeInstanceOf(
      BadRequestResponseError,
    );
    const regular = clientOf(gateway.apiKey);
    expect(await thrownBy(regular.apiKeys.create({ requestBody: { name: 'x' } }))).toBeInstanceOf(
      ForbiddenResponseError,
    );
  });
});
