/** Builds the dependencies of the pumps, which deliver generations to observability destinations. */
import { renderDestinationEvent } from '../contract/broadcast/destination-event.ts';
import { createBroadcastBodyStore } from '../db/broadcast/body-store.ts';
import { createLogReadModel } from '../db/broadcast/log-read-model.ts';
import { createWakeStore } from '../db/broadcast/wake-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { OutboundGuard } from '../platform/outbound-guard.ts';
import { createContentRoom } from '../services/broadcast/content/content-room.ts';
import { createSendDeps } from '../services/broadcast/destinations/send-to-destination.ts';
import { createContentSource } from '../services/broadcast/pump/content-source.ts';
import { createDestinationWatch } from '../services/broadcast/pump/destination-watch.ts';
import { createFindDestination } from '../services/broadcast/pump/open-destination.ts';
import { createLogWatch } from '../services/broadcast/pump/log-watch.ts';
import type { PumpDeps, PumpTimes } from '../services/broadcast/pump/pump-types.ts';
import { createTurns } from '../services/broadcast/pump/turns.ts';
import type { Nudger } from '../services/broadcast/nudger.ts';
import { writeDestinationEvent } from '../services/broadcast/write-destination-event.ts';

/** The length of a pump's run, its waits for generations and for content, and its pace. */
export const PUMP_TIMES: PumpTimes = {
  runMs: 5 * 60_000,
  turnMs: 30_000,
  idleMs: 30_000,
  checkMs: 2_000,
  paceMs: 500,
  contentWaitMs: 5_000,
  contentPollMs: 100,
  lateContentMs: 5 * 60_000,
};

interface PumpParts {
  knex: Handle;
  guard: OutboundGuard;
  encryption: Encryption;
  nudger: Nudger;
}

/** Builds the dependencies that the pumps of this process share. */
export function pumpDeps({ knex, guard, encryption, nudger }: PumpParts): PumpDeps {
  const now = Date.now;
  const content = createContentSource({
    store: createBroadcastBodyStore(knex),
    encryption,
    room: createContentRoom(),
    now,
  });
  const wakeStore = createWakeStore(knex);
  return {
    knex,
    logWatch: createLogWatch(createLogReadModel(knex)),
    findDestination: createFindDestination(knex, { encryption, send: createSendDeps(guard) }),
    writeEvent: (transaction, event) => writeDestinationEvent(renderDestinationEvent, transaction, event),
    content,
    sealContent: content.seal,
    turns: createTurns({ store: wakeStore, now }),
    destinationWatch: createDestinationWatch(wakeStore),
    wakeNext: nudger.wakeNext,
    now,
  };
}
