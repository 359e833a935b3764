/** Declares the operations that list, create, change and delete observability destinations. */
import { z } from 'zod';
import { MAX_DESTINATIONS_OF_TYPE } from '../../domain/broadcast/destination.ts';
import { answerWith, deletion, pageOf } from '../answers.ts';
import { REPLAY_HEADER } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { idParams } from '../params.ts';
import { pageQuery } from '../query-values.ts';
import { destinationChanges, newDestination } from './destination-body.ts';
import * as examples from './destination-examples.ts';
import { destination } from './destination-record.ts';

const common = { access: 'management', tag: 'Observability' } as const;

export const destinationParams = idParams('destination', examples.destinationId);

const current = answerWith('ObservabilityDestinationAnswer', destination, examples.destination);

export const destinationOperations = defineOperations(common, {
  listObservabilityDestinations: {
    route: 'GET /observability/destinations',
    errorMessages: 'exact',
    summary: 'List destinations',
    description: 'Lists the tools that receive the generations of a workspace, the oldest first.',
    query: z.object({
      ...pageQuery,
      workspace_id: z.uuid().optional().meta({ description: 'Absent: the default workspace.' }),
    }),
    responses: {
      200: {
        description: 'One page of destinations.',
        ...pageOf('ObservabilityDestinationList', destination, examples.destination),
      },
    },
  },

  createObservabilityDestination: {
    route: 'POST /observability/destinations',
    errorMessages: 'exact',
    summary: 'Create a destination',
    description: `Forwards the generations of a workspace to a tool, from now on. A workspace may have ${MAX_DESTINATIONS_OF_TYPE} destinations of each type, disabled ones included; another is a 409.`,
    body: { schema: newDestination, examples: examples.requests },
    idempotent: true,
    responses: { 201: { description: 'The destination.', headers: REPLAY_HEADER, ...current } },
    errors: [409],
  },

  getObservabilityDestination: {
    route: 'GET /observability/destinations/{id}',
    summary: 'Get a destination',
    params: destinationParams,
    responses: { 200: { description: 'The destination.', ...current } },
    errors: [404],
  },

  updateObservabilityDestination: {
    route: 'PATCH /observability/destinations/{id}',
    summary: 'Update a destination',
    description:
      'Changes the fields in the body and leaves the others. A body without a field to change is a 400. A disabled destination that is enabled again continues where it stopped.',
    params: destinationParams,
    body: { schema: destinationChanges, examples: examples.changes },
    responses: { 200: { description: 'The destination as it is now.', ...current } },
    errors: [404],
  },

  deleteObservabilityDestination: {
    route: 'DELETE /observability/destinations/{id}',
    summary: 'Delete a destination',
    description: 'Deletes the destination. Generations that it has not received yet are not sent.',
    params: destinationParams,
    responses: {
      200: { description: 'The destination is deleted.', ...deletion('ObservabilityDestinationDeleted') },
    },
    errors: [404],
  },
});
