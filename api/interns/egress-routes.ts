import { egressByDelete, egressByGet, egressByPatch, egressByPost, egressByPut } from './egress.ts';
import { listEgressLog } from './list-egress-log.ts';

/** The routes with which interns use their secrets. */
export const egressRoutes = {
  egressByGet,
  egressByPost,
  egressByPut,
  egressByPatch,
  egressByDelete,
  listEgressLog,
};
