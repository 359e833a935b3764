/** Combines stored destinations with the state of their delivery, for the responses of the API. */
import { type Delivery, readDeliveries } from '../../db/broadcast/delivery-read-model.ts';
import type { StoredDestination } from '../../db/broadcast/destination-rows.ts';
import type { Handle } from '../../db/postgres/connection.ts';

/** A destination as its owner sees it: with masks in place of secrets, and with its delivery. */
export interface ShownDestination extends StoredDestination {
  delivery: Delivery;
}

/** Adds the progress of its delivery to each destination. */
export async function showDestinations(
  handle: Handle,
  destinations: readonly StoredDestination[],
): Promise<ShownDestination[]> {
  const ids = destinations.map(({ id }) => id);
  const deliveries = await readDeliveries(handle, ids);
  return destinations.flatMap((destination) => {
    const delivery = deliveries.get(destination.id);
    // A destination without a delivery was deleted between the two reads.
    return delivery === undefined ? [] : [{ ...destination, delivery }];
  });
}

export async function showDestination(
  handle: Handle,
  destination: StoredDestination,
): Promise<ShownDestination | null> {
  const [shown = null] = await showDestinations(handle, [destination]);
  return shown;
}
