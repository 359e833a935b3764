import { egressByDelete, egressByGet, egressByPatch, egressByPost, egressByPut } from './egress.ts';
import { listEgressLog } from './list-egress-log.ts';

/** Answers the operations by which interns use their secrets. */
export const egressRoutes = {
  egressByGet,
  egressByPost,
  egressByPut,
  egressByPatch,
  egressByDelete,
  listEgressLog,
};
