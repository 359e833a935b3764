/** Lists the operations that send requests for an intern, and the one that reads their log. */
import { egressByDelete, egressByGet, egressByPatch, egressByPost, egressByPut } from './egress.ts';
import { listEgressLog } from './egress-log.ts';

export const egressOperations = {
  egressByGet,
  egressByPost,
  egressByPut,
  egressByPatch,
  egressByDelete,
  listEgressLog,
};
