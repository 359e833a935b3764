import { createUsageReadModel } from '../db/insights/usage-read-model.ts';
import { createSendDeps } from '../services/broadcast/create-send-deps.ts';
import { createDestinationService } from '../services/broadcast/destination-service.ts';
import { createAuditLog } from '../services/accounts/audit/audit-log.ts';
import { createCredentialService } from '../services/endpoints/credential-service.ts';
import { createEndUserService } from '../services/accounts/end-users/end-user-service.ts';
import { createKeyService } from '../services/accounts/keys/key-service.ts';
import { createOrganizationService } from '../services/accounts/organization/organization-service.ts';
import { createBudgetService } from '../services/accounts/workspaces/budget-service.ts';
import { createMemberService } from '../services/accounts/workspaces/member-service.ts';
import { removeWorkspace } from '../services/workspace-removal/remove-workspace.ts';
import { createWorkspaceService } from '../services/accounts/workspaces/workspace-service.ts';
import type { ServiceParts } from './service-parts.ts';
import type { Services } from './services.ts';

type AccountServices = Pick<
  Services,
  | 'apiKeys'
  | 'auditLog'
  | 'credentials'
  | 'destinations'
  | 'endUsers'
  | 'organization'
  | 'workspaceBudgets'
  | 'workspaceMembers'
  | 'workspaces'
>;

/** What an organization manages of itself. */
export function createAccountServices(parts: ServiceParts): AccountServices {
  const { config, knex, encryption, memory, spending, guard, nudger } = parts;
  const destinationChanged = nudger.wake;
  const { workspaceSettings: settings } = memory;
  const checkUrl = (url: string): void => guard.checkUrl(url);
  const usage = createUsageReadModel(knex);
  return {
    apiKeys: createKeyService({ knex, encryption, verifier: memory.keys, usage, spending }),
    endUsers: createEndUserService({ knex }),
    auditLog: createAuditLog({ knex }),
    organization: createOrganizationService({ knex }),
    workspaces: createWorkspaceService({
      knex,
      encryption,
      checkUrl,
      settings,
      remove: removeWorkspace,
      destinationChanged,
    }),
    destinations: createDestinationService({
      knex,
      encryption,
      checkUrl,
      settings,
      send: createSendDeps(guard),
      changed: destinationChanged,
    }),
    credentials: createCredentialService({
      knex,
      encryption,
      catalog: memory.catalog,
      credentials: config.providers,
      checkUrl,
      forgetBrought: memory.brought.forget,
    }),
    workspaceMembers: createMemberService({ knex }),
    workspaceBudgets: createBudgetService({ knex }),
  };
}
