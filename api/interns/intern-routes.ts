import { attachVault } from './attach-vault.ts';
import { createIntern } from './create-intern.ts';
import { createInternKey } from './create-intern-key.ts';
import { deleteIntern } from './delete-intern.ts';
import { deleteInternKey } from './delete-intern-key.ts';
import { detachVault } from './detach-vault.ts';
import { getIntern } from './get-intern.ts';
import { listInternKeys } from './list-intern-keys.ts';
import { listInterns } from './list-interns.ts';
import { setInternStatus } from './set-intern-status.ts';
import { updateIntern } from './update-intern.ts';

/** Lists the routes of interns as records, and of their keys. */
export const internRoutes = {
  createIntern,
  listInterns,
  getIntern,
  updateIntern,
  deleteIntern,
  setInternStatus,
  attachVault,
  detachVault,
  createInternKey,
  listInternKeys,
  deleteInternKey,
};
