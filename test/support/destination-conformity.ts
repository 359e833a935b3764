import { createCaller } from './caller.ts';
import { draftOf, makeDestination } from './destinations.ts';
import type { Gateway } from './gateway.ts';
import type { GoodRequest } from './scim-conformity.ts';

/** One request for each operation on destinations. The webhook at `url` accepts tests. */
export async function destinationRequests(
  gateway: Gateway,
  url: string,
  generationId: string,
): Promise<GoodRequest[]> {
  const { managementKey } = gateway;
  const { id } = await makeDestination(createCaller(gateway.origin, managementKey), { config: { url } });
  const destinations = '/api/v1/observability/destinations';
  const destination = `${destinations}/${id}`;
  const draft = draftOf('webhook');
  return [
    ['POST', destinations, managementKey, draft],
    ['GET', destinations, managementKey],
    ['GET', destination, managementKey],
    ['PATCH', destination, managementKey, { name: 'Audited' }],
    ['POST', `${destination}/test`, managementKey],
    ['GET', `${destination}/deliveries`, managementKey],
    ['GET', `${destination}/dead-letters`, managementKey],
    ['POST', `${destination}/dead-letters/replay`, managementKey],
    ['POST', `${destinations}/preview`, managementKey, { ...draft, generation_id: generationId }],
    ['GET', `${destination}/preview?generation_id=${generationId}`, managementKey],
    ['DELETE', destination, managementKey],
  ];
}
