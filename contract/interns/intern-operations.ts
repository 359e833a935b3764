import { attachVault, detachVault } from './attached-vault.ts';
import { createInternKey, deleteInternKey, listInternKeys } from './intern-keys.ts';
import {
  createIntern,
  deleteIntern,
  getIntern,
  listInterns,
  setInternStatus,
  updateIntern,
} from './interns.ts';

/** The operations on interns as records, and on their keys. */
export const internOperations = {
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
