import {
  testObservabilityDestination,
  listObservabilityDeliveries,
  listObservabilityDeadLetters,
  replayObservabilityDeadLetters,
} from './destination-deliveries.ts';
import { previewObservabilityDestination } from './destination-preview.ts';
import {
  listObservabilityDestinations,
  createObservabilityDestination,
  getObservabilityDestination,
  updateObservabilityDestination,
  deleteObservabilityDestination,
} from './destinations.ts';

/** Lists the operations on observability destinations. */
export const broadcastOperations = {
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
