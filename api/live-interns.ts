import type { Handle } from '../db/connection.ts';
import { createInternStore } from '../db/interns/intern-store.ts';
import { createOrganizationStore } from '../db/organization-store.ts';
import type { Presence } from '../db/presence.ts';
import type { Notices } from '../platform/noticed-cache.ts';
import { createInternMemory, type InternMemory } from '../services/interns/intern-memory.ts';
import { createProgrammeGate, type ProgrammeGate } from '../services/interns/programme-gate.ts';

/** Everything that is remembered of interns. */
export interface LiveInterns {
  gate: ProgrammeGate;
  memory: InternMemory;
  /** Tells what to do with the payload of a notice, by the channel. */
  onNotice: Record<string, (payload: string) => void>;
  /** Notices may have been missed. */
  forgetAll(): void;
}

export interface LiveInternsParts {
  knex: Handle;
  presence: Pick<Presence, 'ask'>;
  notices: Notices;
  publicUrl: string;
}

export function createLiveInterns({ knex, presence, notices, publicUrl }: LiveInternsParts): LiveInterns {
  const organizations = createOrganizationStore(knex);
  const interns = createInternStore(knex);
  const gate = createProgrammeGate({
    store: {
      hasEntitlement: (id, entitlement) => presence.ask(() => organizations.hasEntitlement(id, entitlement)),
    },
    notices,
    publicUrl,
  });
  const memory = createInternMemory({
    store: { findKnown: (id) => presence.ask(() => interns.findKnown(id)) },
    notices,
  });
  return {
    gate,
    memory,
    onNotice: { sluice_organizations: gate.forget, sluice_interns: memory.forget },
    forgetAll() {
      for (const remembered of [gate, memory]) remembered.forgetAll();
    },
  };
}
