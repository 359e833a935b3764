/** Builds the services for interns from the parts of the API process. */
import { createUsageReadModel } from '../../db/insights/usage-read-model.ts';
import { createEgressLogStore } from '../../db/interns/egress-log-store.ts';
import { createInternStore } from '../../db/interns/intern-store.ts';
import { createDaemonService } from '../../services/interns/daemon/daemon-service.ts';
import { createEgressLogService } from '../../services/interns/egress/egress-log-service.ts';
import { createEgressService } from '../../services/interns/egress/egress-service.ts';
import { createInternKeyService } from '../../services/interns/intern-key-service.ts';
import { createInternService } from '../../services/interns/intern-service.ts';
import { createVaultService } from '../../services/interns/vault/vault-service.ts';
import { createInternRate } from '../../services/rate-limits/intern-rate.ts';
import type { RateLimiter } from '../../services/rate-limits/rate-limiter.ts';
import type { ServiceParts } from '../service-parts.ts';

/** Builds the services for the interns of an organization: records, keys, signatures and vaults. */
export function createInternServices(parts: ServiceParts, limiter: RateLimiter) {
  const { config, knex, encryption, logger, memory, spending } = parts;
  const { rateLimitRequests: requests, rateLimitIntervalMs: intervalMs } = config.limits;
  const { keys: verifier, interns: live } = memory;
  const usage = createUsageReadModel(knex);
  return {
    programmeGate: { admit: live.gate.admit },
    interns: createInternService({ knex, encryption, verifier, memory: live.memory }),
    internKeys: createInternKeyService({ knex, encryption, verifier, usage, spending }),
    daemon: createDaemonService({
      interns: live.memory,
      keys: live.daemonKeys,
      rate: createInternRate({ limiter, requests, intervalMs }),
    }),
    vault: createVaultService({ knex, encryption, logger, forgetVault: live.vaults.forget }),
  };
}

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
