/** Creates the caches of interns, vaults and signing keys. */
import type { Handle } from '../../db/postgres/connection.ts';
import { createDaemonKeyStore } from '../../db/interns/daemon-key-store.ts';
import { createInternStore } from '../../db/interns/intern-store.ts';
import { createVaultSecretStore } from '../../db/interns/vault-secret-store.ts';
import { createVaultStore } from '../../db/interns/vault-store.ts';
import { createOrganizationStore } from '../../db/accounts/organization-store.ts';
import type { OutageDetector } from '../../db/postgres/outage-detector.ts';
import type { Encryption } from '../../platform/encryption.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Notices } from '../../platform/noticed-cache.ts';
import { createDaemonKeys, type DaemonKeys } from '../../services/interns/daemon/daemon-keys.ts';
import { ensureDaemonKeys } from '../../services/interns/daemon/rotate-daemon-keys.ts';
import { createInternMemory, type InternMemory } from '../../services/interns/intern-memory.ts';
import { createProgrammeGate, type ProgrammeGate } from '../../services/interns/programme-gate.ts';
import { createVaultMemory, type VaultMemory } from '../../services/interns/vault/vault-memory.ts';

/** Caches the data for requests of interns, so that most of them need no read of Postgres. */
export interface LiveInterns {
  gate: ProgrammeGate;
  memory: InternMemory;
  vaults: VaultMemory;
  daemonKeys: DaemonKeys;
  /** Handles the payload of a notice, by channel. */
  onNotice: Record<string, (payload: string) => void>;
  /** Clears the caches, because notices may have been missed. */
  forgetAll(): void;
}

export interface LiveInternsParts {
  knex: Handle;
  detector: Pick<OutageDetector, 'run'>;
  notices: Notices;
  publicUrl: string;
  encryption: Pick<Encryption, 'open' | 'seal'>;
  logger: Pick<Logger, 'warn'>;
}

export function createLiveInterns(parts: LiveInternsParts): LiveInterns {
  const { knex, detector, notices, publicUrl } = parts;
  const organizations = createOrganizationStore(knex);
  const interns = createInternStore(knex);
  const gate = createProgrammeGate({
    store: {
      hasEntitlement: (id, entitlement) => detector.run(() => organizations.hasEntitlement(id, entitlement)),
    },
    notices,
    publicUrl,
  });
  const memory = createInternMemory({
    store: { findKnown: (id) => detector.run(() => interns.findKnown(id)) },
    notices,
  });
  const vaults = createVaultCache(parts);
  const daemonKeys = createDaemonKeyCache(parts);
  return {
    gate,
    memory,
    vaults,
    daemonKeys,
    onNotice: {
      sluice_organizations: gate.forget,
      sluice_interns: memory.forget,
      sluice_vaults: vaults.forget,
      sluice_daemon_keys: daemonKeys.forgetAll,
    },
    forgetAll() {
      for (const cache of [gate, memory, vaults, daemonKeys]) cache.forgetAll();
    },
  };
}

function createVaultCache({ knex, detector, notices, encryption, logger }: LiveInternsParts): VaultMemory {
  const vaults = createVaultStore(knex);
  const secrets = createVaultSecretStore(knex);
  return createVaultMemory({
    vaults: { ofWorkspace: (place) => detector.run(() => vaults.ofWorkspace(place)) },
    secrets: {
      versions: (vaultId) => detector.run(() => secrets.versions(vaultId)),
      sealedValue: (secret) => detector.run(() => secrets.sealedValue(secret)),
    },
    notices,
    encryption,
    logger,
  });
}

function createDaemonKeyCache({ knex, detector, notices, encryption }: LiveInternsParts): DaemonKeys {
  const keys = createDaemonKeyStore(knex);
  return createDaemonKeys({
    store: { list: () => detector.run(() => keys.list()) },
    ensure: () => detector.run(() => ensureDaemonKeys({ knex, encryption })),
    encryption,
    notices,
  });
}
