import { createScimGroupMapping } from './create-scim-group-mapping.ts';
import { createScimSyncJob } from './create-scim-sync-job.ts';
import { createScimToken } from './create-scim-token.ts';
import { deleteScimGroupMapping } from './delete-scim-group-mapping.ts';
import { deleteScimSource } from './delete-scim-source.ts';
import { deleteScimToken } from './delete-scim-token.ts';
import { getScimGroupMapping } from './get-scim-group-mapping.ts';
import { getScimSource } from './get-scim-source.ts';
import { getScimSyncJob } from './get-scim-sync-job.ts';
import { listScimGroupMappings } from './list-scim-group-mappings.ts';
import { listScimGroups } from './list-scim-groups.ts';
import { listScimSyncChanges } from './list-scim-sync-changes.ts';
import { listScimSyncJobs } from './list-scim-sync-jobs.ts';
import { listScimTokens } from './list-scim-tokens.ts';
import { createProvisionedGroup } from './scim/create-group.ts';
import { createProvisionedUser } from './scim/create-user.ts';
import { deleteProvisionedGroup } from './scim/delete-group.ts';
import { deleteProvisionedUser } from './scim/delete-user.ts';
import {
  getScimServiceProviderConfig,
  listScimResourceTypes,
  getScimResourceType,
  listScimSchemas,
  getScimSchema,
} from './scim/discovery.ts';
import { getProvisionedGroup } from './scim/get-group.ts';
import { getProvisionedUser } from './scim/get-user.ts';
import { listProvisionedGroups } from './scim/list-groups.ts';
import { listProvisionedUsers } from './scim/list-users.ts';
import { patchProvisionedGroup } from './scim/patch-group.ts';
import { patchProvisionedUser } from './scim/patch-user.ts';
import { replaceProvisionedGroup } from './scim/replace-group.ts';
import { replaceProvisionedUser } from './scim/replace-user.ts';
import { setScimSource } from './set-scim-source.ts';
import { updateScimGroupMapping } from './update-scim-group-mapping.ts';

/** Lists the routes of the operations on directory sync and SCIM. */
export const directoryRoutes = {
  createScimToken,
  listScimTokens,
  deleteScimToken,
  listProvisionedUsers,
  createProvisionedUser,
  getProvisionedUser,
  replaceProvisionedUser,
  patchProvisionedUser,
  deleteProvisionedUser,
  listProvisionedGroups,
  createProvisionedGroup,
  getProvisionedGroup,
  replaceProvisionedGroup,
  patchProvisionedGroup,
  deleteProvisionedGroup,
  getScimServiceProviderConfig,
  listScimResourceTypes,
  getScimResourceType,
  listScimSchemas,
  getScimSchema,
  listScimGroups,
  listScimGroupMappings,
  createScimGroupMapping,
  getScimGroupMapping,
  updateScimGroupMapping,
  deleteScimGroupMapping,
  getScimSource,
  setScimSource,
  deleteScimSource,
  createScimSyncJob,
  listScimSyncJobs,
  getScimSyncJob,
  listScimSyncChanges,
};
