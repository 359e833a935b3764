import { createApiKeyStore } from '../../db/accounts/api-key-store.ts';
import { createWorkspaceBudgetStore } from '../../db/accounts/workspace-budget-store.ts';
import { createUsageReadModel } from '../../db/insights/usage-read-model.ts';
import { createCreditStore } from '../../db/accounts/credit-store.ts';
import { createPayerCounters } from '../../db/ledger/payer-counters.ts';
import type { Principal } from '../../domain/principal.ts';
import { createAuditLog } from '../../services/accounts/audit-log.ts';
import { createEndUserService } from '../../services/accounts/end-user-service.ts';
import { createConsoleSessions } from '../../services/accounts/identity/console-sessions.ts';
import { describeKey } from '../../services/accounts/identity/describe-key.ts';
import { createKeyService } from '../../services/accounts/keys/key-service.ts';
import { createOrganizationService } from '../../services/accounts/organization-service.ts';
import { createBudgetService } from '../../services/accounts/workspaces/budget-service.ts';
import { createMemberService } from '../../services/accounts/workspaces/member-service.ts';
import { createWorkspaceService } from '../../services/accounts/workspaces/workspace-service.ts';
import { createWorkspaceWebhooks } from '../../services/accounts/workspaces/workspace-webhooks.ts';
import type { GenerationRate } from '../../services/rate-limits/generation-rate.ts';
import { removeWorkspace } from '../../services/remove-workspace.ts';
import type { ServiceParts } from '../service-parts.ts';

/** Creates the services by which an organization manages its keys, members and workspaces. */
export function createAccountServices(parts: ServiceParts, generationRate: GenerationRate) {
  const { config, knex, encryption, memory, spending, guard, nudger, unknownKeys } = parts;
  const checkUrl = (url: string): void => guard.checkUrl(url);
  const usage = createUsageReadModel(knex);
  const credits = createCreditStore(knex);
  const described = {
    keys: createApiKeyStore(knex),
    usage,
    credits,
    budgets: createWorkspaceBudgetStore(knex),
    counters: createPayerCounters(knex),
    spending,
    generationRate,
  };
  return {
    keyInfo: {
      describeKey: (principal: Principal) => describeKey(described, principal, new Date()),
    },
    consoleSessions: createConsoleSessions({ knex, unknownKeys, keys: memory.keys }),
    credits: { totals: credits.totals },
    apiKeys: createKeyService({ knex, encryption, verifier: memory.keys, usage, spending }),
    endUsers: createEndUserService({ knex }),
    auditLog: createAuditLog({ knex }),
    organization: createOrganizationService({ knex }),
    workspaces: createWorkspaceService({
      knex,
      encryption,
      checkUrl,
      settings: memory.workspaceSettings,
      remove: removeWorkspace,
      destinationChanged: nudger.wake,
    }),
    workspaceMembers: createMemberService({ knex }),
    workspaceBudgets: createBudgetService({ knex }),
    workspaceWebhooks: createWorkspaceWebhooks({
      knex,
      encryption,
      guard,
      checkUrl,
      timeoutMs: config.webhooks.timeoutMs,
    }),
  };
}
