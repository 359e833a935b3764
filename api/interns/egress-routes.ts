import { egressByDelete, egressByGet, egressByPatch, egressByPost, egressByPut } from './egress.ts';
import { listEgressLog } from './list-egress-log.ts';

/** Lists the routes with which interns use their secrets. */
export const egressRoutes = {
  egressByGet,
  egressByPost,
  egressByPut,
  egressByPatch,
  egressByDelete,
  listEgressLog,
};
