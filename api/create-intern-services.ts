import { createUsageReadModel } from '../db/usage-read-model.ts';
import { createInternKeyService } from '../services/interns/intern-key-service.ts';
import { createInternService } from '../services/interns/intern-service.ts';
import { createVaultService } from '../services/interns/vault/vault-service.ts';
import type { ServiceParts } from './service-parts.ts';
import type { Services } from './services.ts';

/** What an organization does with its interns. */
export function createInternServices(
  parts: ServiceParts,
): Pick<Services, 'programmeGate' | 'interns' | 'internKeys' | 'vault'> {
  const { knex, encryption, logger, memory, spending } = parts;
  const { keys: verifier, interns: live } = memory;
  const usage = createUsageReadModel(knex);
  return {
    programmeGate: live.gate,
    interns: createInternService({ knex, encryption, verifier, memory: live.memory }),
    internKeys: createInternKeyService({ knex, encryption, verifier, usage, spending }),
    vault: createVaultService({ knex, encryption, logger, forgetVault: live.vaults.forget }),
  };
}
