/**
 * Guards an organization against mass removals by its identity provider, by holding them until an administrator
 * decides.
 */
import type { Handle } from '../../../db/postgres/connection.ts';
import { createHeldRemovalStore } from '../../../db/directory/held-removal-store.ts';
import { isTooMany } from '../../../domain/directory/guard.ts';
import type { RemovalsHeld } from '../../../domain/directory/removals-held.ts';
import { type RenderedEvent, writeEvent } from '../../webhooks/write-event.ts';
import { findLosers } from '../membership/preview.ts';

/** Renders the body of the event about held removals, checked against the contract. */
export type RenderRemovalsHeld = (held: RemovalsHeld) => RenderedEvent;

export interface PushedPeople {
  organizationId: string;
  /** The people; when absent, the pending ones. */
  personIds?: readonly string[];
}

/**
 * Holds the removals of people if they are too many together with those pushed within the last hour. Returns the number
 * of people whose removal it holds. It writes an event when none were held before. The caller holds the directory's
 * lock.
 */
export async function holdTooManyRemovals(
  transaction: Handle,
  { organizationId, personIds }: Required<PushedPeople>,
  render: RenderRemovalsHeld,
): Promise<number> {
  const from = { kind: 'stored' as const, personIds };
  const loserIds = await findLosers(transaction, { organizationId, from });
  if (loserIds.length === 0) return 0;
  const store = createHeldRemovalStore(transaction, organizationId);
  const recentIds = await store.pushedRecently();
  const removed = new Set([...loserIds, ...recentIds]).size;
  // A small number of removals is allowed at any share of the people.
  if (!isTooMany({ removed, managed: 0 })) return 0;
  if (!isTooMany({ removed, managed: await store.managed(recentIds) })) return 0;
  const heldBefore = await store.count();
  await store.hold(loserIds);
  if (heldBefore === 0) {
    const held = { organizationId, people: loserIds.length, heldSince: new Date() };
    await writeEvent(transaction, {
      ...render(held),
      organizationId,
      eventId: `${organizationId}-removals-held-${held.heldSince.getTime()}`,
    });
  }
  return loserIds.length;
}

/** Releases held people who would now lose nothing, such as people who were assigned again. */
export async function releaseHeld(
  transaction: Handle,
  { organizationId, personIds }: PushedPeople,
): Promise<void> {
  const store = createHeldRemovalStore(transaction, organizationId);
  const heldIds = await store.held(personIds);
  if (heldIds.length === 0) return;
  const from = { kind: 'stored' as const, personIds: heldIds };
  const losers = new Set(await findLosers(transaction, { organizationId, from, includesHeld: true }));
  await store.release(heldIds.filter((id) => !losers.has(id)));
}
