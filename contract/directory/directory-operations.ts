import { listScimGroups } from './groups.ts';
import {
  listScimGroupMappings,
  createScimGroupMapping,
  getScimGroupMapping,
  updateScimGroupMapping,
  deleteScimGroupMapping,
} from './mappings.ts';
import {
  getScimServiceProviderConfig,
  listScimResourceTypes,
  getScimResourceType,
  listScimSchemas,
  getScimSchema,
} from './scim-discovery.ts';
import {
  listProvisionedGroups,
  createProvisionedGroup,
  getProvisionedGroup,
  replaceProvisionedGroup,
  patchProvisionedGroup,
  deleteProvisionedGroup,
} from './scim-groups.ts';
import { createScimToken, listScimTokens, deleteScimToken } from './scim-tokens.ts';
import {
  listProvisionedUsers,
  createProvisionedUser,
  getProvisionedUser,
  replaceProvisionedUser,
  patchProvisionedUser,
  deleteProvisionedUser,
} from './scim-users.ts';
import { getScimSource, setScimSource, deleteScimSource } from './source.ts';
import { createScimSyncJob, listScimSyncJobs, getScimSyncJob, listScimSyncChanges } from './sync-jobs.ts';

/** Lists the operations on directory sync and SCIM. */
export const directoryOperations = {
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
