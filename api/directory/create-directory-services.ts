/** Builds the services of an organization's directory from the parts of the API process. */
import { renderRemovalsHeld } from '../../contract/directory/removals-held-event.ts';
import { createGroupReadModel } from '../../db/directory/group-read-model.ts';
import { createMappingService } from '../../services/directory/mapping-service.ts';
import { createPush } from '../../services/directory/push/push.ts';
import { createGroupsService } from '../../services/directory/scim-server/groups-service.ts';
import { createPeopleService } from '../../services/directory/scim-server/people-service.ts';
import { createSourceService } from '../../services/directory/source-service.ts';
import { createSyncJobService } from '../../services/directory/sync-job-service.ts';
import { createScimTokenService } from '../../services/directory/tokens/scim-token-service.ts';
import { createScimTokenVerifier } from '../../services/directory/tokens/token-verifier.ts';
import { createConcurrencyLimit } from '../../services/concurrency-limit.ts';
import type { ServiceParts } from '../service-parts.ts';

/** The longest wait for a turn. It is longer than an identity provider waits for an answer. */
const TURN_WAIT_MS = 60_000;

/** Creates the services of the SCIM server, group mappings, syncs and tokens. */
export function createDirectoryServices(parts: ServiceParts) {
  const { knex, unknownKeys, runs, logger, encryption, guard } = parts;
  const concurrencyLimit = createConcurrencyLimit({ maxConcurrent: 1, waitMs: TURN_WAIT_MS });
  const push = createPush({ knex, concurrencyLimit, runs, logger, renderRemovalsHeld });
  return {
    directoryPeople: createPeopleService({ knex, push }),
    directoryGroups: createGroupsService({ knex, push }),
    scimGroups: createGroupReadModel(knex),
    groupMappings: createMappingService({ knex, push }),
    scimSource: createSourceService({ knex, encryption, checkUrl: (url) => guard.checkUrl(url) }),
    syncJobs: createSyncJobService({ knex, runs, logger }),
    scimTokens: {
      ...createScimTokenService({ knex, encryption }),
      ...createScimTokenVerifier({ knex, unknownKeys }),
    },
  };
}
