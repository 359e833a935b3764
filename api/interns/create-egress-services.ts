import { createEgressLogStore } from '../../db/interns/egress-log-store.ts';
import { createInternStore } from '../../db/interns/intern-store.ts';
import { createEgressLogService } from '../../services/interns/egress/egress-log-service.ts';
import { createEgressService } from '../../services/interns/egress/egress-service.ts';
import type { ServiceParts } from '../service-parts.ts';

/** Creates the services by which interns use their secrets, and the service that lists their requests. */
export function createEgressServices(parts: ServiceParts) {
  const { config, knex, memory, egressLog: log, egressGuard: guard } = parts;
  const { countryHeader } = config.http;
  const { memory: interns, vaults } = memory.interns;
  return {
    egress: createEgressService({ interns, vaults, log, guard, countryHeader }),
    egressLog: createEgressLogService({
      interns: createInternStore(knex),
      store: createEgressLogStore(knex),
      log,
    }),
  };
}
