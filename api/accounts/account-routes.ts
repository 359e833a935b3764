import { listAuditLog } from './audit/list-audit-log.ts';
import { getCredits } from './credits/get-credits.ts';
import { createEndUser } from './end-users/create-end-user.ts';
import { deleteEndUser } from './end-users/delete-end-user.ts';
import { getEndUser } from './end-users/get-end-user.ts';
import { listEndUsers } from './end-users/list-end-users.ts';
import { updateEndUser } from './end-users/update-end-user.ts';
import { createKey } from './keys/create-key.ts';
import { deleteKey } from './keys/delete-key.ts';
import { getCurrentKey, getCurrentKeyAtFormerPath } from './keys/get-current-key.ts';
import { getKey } from './keys/get-key.ts';
import { listKeys } from './keys/list-keys.ts';
import { updateKey } from './keys/update-key.ts';
import { getOrganizationSettings } from './organization/get-organization-settings.ts';
import { listOrganizationMembers } from './organization/list-organization-members.ts';
import { updateOrganizationSettings } from './organization/update-organization-settings.ts';
import { addWorkspaceMembers } from './workspaces/add-workspace-members.ts';
import { createWorkspace } from './workspaces/create-workspace.ts';
import { deleteWorkspaceBudget } from './workspaces/delete-workspace-budget.ts';
import { deleteWorkspace } from './workspaces/delete-workspace.ts';
import { getWorkspaceBudget } from './workspaces/get-workspace-budget.ts';
import { getWorkspace } from './workspaces/get-workspace.ts';
import { listWorkspaceBudgets } from './workspaces/list-workspace-budgets.ts';
import { listWorkspaceMembers } from './workspaces/list-workspace-members.ts';
import { listWorkspaces } from './workspaces/list-workspaces.ts';
import { removeWorkspaceMembers } from './workspaces/remove-workspace-members.ts';
import { rotateWebhookSecret } from './workspaces/rotate-webhook-secret.ts';
import { setWorkspaceBudget } from './workspaces/set-workspace-budget.ts';
import { testWebhook } from './workspaces/test-webhook.ts';
import { updateWorkspace } from './workspaces/update-workspace.ts';

/** Lists the routes of the operations on keys, end users, workspaces, the organization and its audit log. */
export const accountRoutes = {
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
