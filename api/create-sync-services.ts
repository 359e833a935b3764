import { createSourceService } from '../services/directory/source-service.ts';
import { createSyncJobService } from '../services/directory/sync-job-service.ts';
import type { ServiceParts } from './service-parts.ts';
import type { Services } from './services.ts';

/** Where people and groups of an organization come from, and the runs that read them. */
export function createSyncServices(parts: ServiceParts): Pick<Services, 'scimSource' | 'syncJobs'> {
  const { knex, runs, logger, encryption, guard } = parts;
  return {
    scimSource: createSourceService({ knex, encryption, checkUrl: (url) => guard.checkUrl(url) }),
    syncJobs: createSyncJobService({ knex, runs, logger }),
  };
}
