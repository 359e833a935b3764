import { listAuditLog } from './audit-log.ts';
import { getCredits } from './credits.ts';
import { listEndUsers, createEndUser, getEndUser, updateEndUser, deleteEndUser } from './end-users.ts';
import {
  getCurrentKey,
  getCurrentKeyAtFormerPath,
  listKeys,
  createKey,
  getKey,
  updateKey,
  deleteKey,
} from './keys.ts';
import {
  listOrganizationMembers,
  getOrganizationSettings,
  updateOrganizationSettings,
} from './organization.ts';
import { testWebhook } from './webhook-test.ts';
import {
  listWorkspaceBudgets,
  getWorkspaceBudget,
  setWorkspaceBudget,
  deleteWorkspaceBudget,
} from './workspace-budgets.ts';
import { listWorkspaceMembers, addWorkspaceMembers, removeWorkspaceMembers } from './workspace-members.ts';
import {
  listWorkspaces,
  createWorkspace,
  getWorkspace,
  updateWorkspace,
  deleteWorkspace,
  rotateWebhookSecret,
} from './workspaces.ts';

/** Lists the operations on keys, end users, workspaces, the organization and its audit log. */
export const accountOperations = {
  getCurrentKey,
  getCurrentKeyAtFormerPath,
  listKeys,
  createKey,
  getKey,
  updateKey,
  deleteKey,
  listEndUsers,
  createEndUser,
  getEndUser,
  updateEndUser,
  deleteEndUser,
  listAuditLog,
  getCredits,
  listOrganizationMembers,
  getOrganizationSettings,
  updateOrganizationSettings,
  listWorkspaces,
  createWorkspace,
  getWorkspace,
  updateWorkspace,
  deleteWorkspace,
  listWorkspaceMembers,
  addWorkspaceMembers,
  removeWorkspaceMembers,
  listWorkspaceBudgets,
  getWorkspaceBudget,
  setWorkspaceBudget,
  deleteWorkspaceBudget,
  rotateWebhookSecret,
  testWebhook,
};
