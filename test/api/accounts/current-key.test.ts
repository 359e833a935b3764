import { expect, test } from '@jest/globals';
import { principals } from '../support/fake-services.ts';
import { publishedClient } from '../../support/published-client.ts';
import { serveApi } from '../support/serve-api.ts';

test('a public client of this API shape reads its own key', async () => {
  const api = await serveApi({
    keyInfo: {
      describeKey: async (principal) => {
        expect(principal).toBe(principals['management-key']);
        return {
          label: 'sk-slc-abc...wxyz',
          kind: 'management',
          organizationId: 'o',
          workspaceId: 'w',
          creatorUserId: null,
          expiresAt: new Date('2027-01-01T00:00:00Z'),
          usage: 12_500_000_000n,
          usageDaily: 1n,
          usageWeekly: 2n,
          usageMonthly: 3n,
          byokUsage: 0n,
          byokUsageDaily: 0n,
          byokUsageWeekly: 0n,
          byokUsageMonthly: 0n,
          limitNanos: 100_000_000_000n,
          limitRemainingNanos: 87_500_000_000n,
          limitReset: 'monthly',
          includeByokInLimit: false,
          budgets: [],
          isFreeTier: true,
          freeRequestsToday: 3,
          rateLimit: { requests: 30, intervalMs: 60_000 },
        };
      },
    },
  });
  const client = publishedClient(api, 'management-key');
  const { data } = await client.apiKeys.getCurrentKeyMetadata();
  expect(data).toMatchObject({
    label: 'sk-slc-abc...wxyz',
    usage: 12.5,
    usageDaily: 1e-9,
    limit: 100,
    limitRemaining: 87.5,
    limitReset: 'monthly',
    isFreeTier: true,
    freeModelDailyRequests: { limit: -1, remaining: -1, used: 3 },
    isManagementKey: true,
    isProvisioningKey: true,
    expiresAt: new Date('2027-01-01T00:00:00Z'),
    rateLimit: { requests: 30, interval: '60s' },
  });
  await api.close();
});
