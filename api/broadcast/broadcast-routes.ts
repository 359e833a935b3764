import { createObservabilityDestination } from './create-destination.ts';
import { deleteObservabilityDestination } from './delete-destination.ts';
import { getObservabilityDestination } from './get-destination.ts';
import { listObservabilityDeadLetters } from './list-dead-letters.ts';
import { listObservabilityDeliveries } from './list-deliveries.ts';
import { listObservabilityDestinations } from './list-destinations.ts';
import { previewObservabilityDestination } from './preview-destination.ts';
import { replayObservabilityDeadLetters } from './replay-dead-letters.ts';
import { testObservabilityDestination } from './test-destination.ts';
import { updateObservabilityDestination } from './update-destination.ts';

/** Lists the routes of the operations on observability destinations. */
export const broadcastRoutes = {
  listObservabilityDestinations,
  createObservabilityDestination,
  getObservabilityDestination,
  updateObservabilityDestination,
  deleteObservabilityDestination,
  previewObservabilityDestination,
  testObservabilityDestination,
  listObservabilityDeliveries,
  listObservabilityDeadLetters,
  replayObservabilityDeadLetters,
};
