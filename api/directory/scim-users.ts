/**
 * Answers the requests of identity providers about users. The handlers of groups look alike and stay apart: each has
 * three lines, and a shared one would have to name the types of both services and views.
 */
import type { ProvisionedUser } from '../../contract/directory/scim-resources.ts';
import type { scimUserOperations } from '../../contract/directory/scim-users.ts';
import { ENTERPRISE_SCHEMA, USER_SCHEMA } from '../../domain/directory/scim/user-schema.ts';
import type { PeopleService, ShownPerson } from '../../services/directory/scim-server/people-service.ts';
import type { ApiSettings, RoutesOf } from '../http/route.ts';
import {
  createView,
  isKnown,
  metaOf,
  presentScimList,
  refuseUnsupported,
  type ScimProjection,
  toScimWrite,
} from './scim-call.ts';

export const scimUserRoutes: RoutesOf<typeof scimUserOperations, { directoryPeople: PeopleService }> = {
  /** Handles `GET /scim/v2/Users`: lists users for an identity provider. */
  listProvisionedUsers: async ({ directoryClient, query }, { services, settings }) => {
    refuseUnsupported(query);
    const { wants, show } = viewOf(query, settings);
    const { organizationId } = directoryClient;
    const { people, totalCount } = await services.directoryPeople.list(organizationId, query, wants);
    const { startIndex } = query;
    return { status: 200, body: presentScimList(people.map(show), { startIndex, totalCount }) };
  },

  /** Handles `POST /scim/v2/Users`: creates a user that an identity provider pushes. */
  createProvisionedUser: async ({ query, body, ...call }, { services, settings }) => {
    const { wants, answer } = viewOf(query, settings);
    const made = await services.directoryPeople.create(toScimWrite({ ...call, headers: {} }), body, wants);
    return { status: 201, ...answer(made) };
  },

  /** Handles `GET /scim/v2/Users/{id}`: returns a user to an identity provider, or 304 if its version is known. */
  getProvisionedUser: async ({ directoryClient, params, query, headers }, { services, settings }) => {
    const { wants, answer } = viewOf(query, settings);
    const found = await services.directoryPeople.get(directoryClient.organizationId, params.id, wants);
    const whole = answer(found);
    if (isKnown(headers, found.person.version)) return { status: 304, headers: whole.headers };
    return { status: 200, ...whole };
  },

  /** Handles `PUT /scim/v2/Users/{id}`: replaces a user with the one that an identity provider sends. */
  replaceProvisionedUser: async ({ params, query, body, ...call }, { services, settings }) => {
    const { wants, answer } = viewOf(query, settings);
    const made = await services.directoryPeople.replace(toScimWrite(call), params.id, body, wants);
    return { status: 200, ...answer(made) };
  },

  /** Handles `PATCH /scim/v2/Users/{id}`: applies the changes of an identity provider to a user. */
  patchProvisionedUser: async ({ params, query, body, ...call }, { services, settings }) => {
    const { wants, answer } = viewOf(query, settings);
    const made = await services.directoryPeople.patch(toScimWrite(call), params.id, body, wants);
    return { status: 200, ...answer(made) };
  },

  /** Handles `DELETE /scim/v2/Users/{id}`: deletes a user for an identity provider. */
  deleteProvisionedUser: async ({ params, ...call }, { services }) => {
    await services.directoryPeople.remove(toScimWrite(call), params.id);
    return { status: 204 };
  },
};

function viewOf(query: ScimProjection, settings: ApiSettings) {
  const versionOf = ({ person }: ShownPerson) => person;
  const view = createView({ type: 'User', present: presentProvisionedUser, versionOf }, query, settings);
  return { ...view, wants: { groups: view.includes('groups') } };
}

/**
 * Presents a user.
 * @param base The URL of the SCIM server.
 */
function presentProvisionedUser({ person, groups }: ShownPerson, base: string): ProvisionedUser {
  const isEmployee = ENTERPRISE_SCHEMA in person.resource;
  return {
    schemas: isEmployee ? [USER_SCHEMA, ENTERPRISE_SCHEMA] : [USER_SCHEMA],
    id: person.id,
    ...person.resource,
    groups: groups.map(({ groupId, displayName }) => ({
      value: groupId,
      $ref: `${base}/Groups/${groupId}`,
      display: displayName,
      type: 'direct',
    })),
    meta: metaOf('User', person, base),
  };
}
