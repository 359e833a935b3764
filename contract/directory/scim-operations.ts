/** Declares the parts that the SCIM server's operations on users and on groups share. */
import { z } from 'zod';
import type { BodyDefinition } from '../operation.ts';
import { listOf } from './scim-examples.ts';
import {
  patchBody,
  projectionQuery,
  scimBody,
  scimListQuery,
  scimReadHeaders,
  scimWriteHeaders,
} from './scim-requests.ts';
import { listOfResources } from './scim-resources.ts';

/** The properties that all operations of the SCIM server share. */
export const scimOperation = { access: 'scim', errorShape: 'scim', tag: 'SCIM server' } as const;

interface ResourceKind<Schema extends z.ZodType> {
  type: 'User' | 'Group';
  schema: Schema;
  example: { id: string };
  /** Examples of a new resource, which may also replace another. */
  bodies: BodyDefinition['examples'];
  /** Examples of a PATCH. */
  changes: BodyDefinition['examples'];
}

const query = z.object(projectionQuery);

/** Returns the operations of RFC 7644 that read one kind of resources, without their descriptions. */
export function readsOf<Schema extends z.ZodType>(kind: ResourceKind<Schema>) {
  const { type, schema, example } = kind;
  const { noun, path, idPath, params, current } = partsOf(kind);
  return {
    list: {
      route: `GET ${path}`,
      summary: `List ${noun}s`,
      query: scimListQuery,
      responses: {
        200: {
          description: `One page of ${noun}s.`,
          schema: listOfResources(`Provisioned${type}List`, schema),
          example: listOf(example),
        },
      },
      errors: [501],
    },
    get: {
      route: `GET ${idPath}`,
      params,
      summary: `Get a ${noun}`,
      query,
      headers: scimReadHeaders,
      responses: {
        200: { description: `The ${noun}.`, ...current },
        304: { description: 'The caller already has this version.', headers: current.headers },
      },
      errors: [404],
    },
  } as const;
}

/** Returns the operations of RFC 7644 that change one kind of resources, without their descriptions. */
export function writesOf<Schema extends z.ZodType>(kind: ResourceKind<Schema>) {
  const { type, bodies, changes } = kind;
  const { noun, path, idPath, params, current } = partsOf(kind);
  const change = {
    params,
    query,
    headers: scimWriteHeaders,
    responses: { 200: { description: `The ${noun} as it is now.`, ...current } },
    errors: [403, 404, 409, 412],
  } as const;
  return {
    create: {
      route: `POST ${path}`,
      summary: `Create a ${noun}`,
      query,
      body: scimBody(`NewProvisioned${type}`, `A ${noun} of RFC 7643.`, bodies),
      responses: { 201: { description: `The ${noun}.`, ...current } },
      errors: [403, 409],
    },
    replace: {
      ...change,
      route: `PUT ${idPath}`,
      summary: `Replace a ${noun}`,
      body: scimBody(`Provisioned${type}Replacement`, `A ${noun} of RFC 7643.`, bodies),
    },
    patch: {
      ...change,
      route: `PATCH ${idPath}`,
      summary: `Change a ${noun}`,
      body: patchBody(`Provisioned${type}Changes`, changes),
    },
    delete: {
      route: `DELETE ${idPath}`,
      params,
      summary: `Delete a ${noun}`,
      headers: scimWriteHeaders,
      responses: { 204: { description: `The ${noun} is deleted.` } },
      errors: [403, 404, 408, 412],
    },
  } as const;
}

function partsOf<Schema extends z.ZodType>({ type, schema, example }: ResourceKind<Schema>) {
  const noun = type === 'User' ? 'user' : 'group';
  const id = z.string().meta({ description: `The SCIM id of the ${noun}.`, examples: [example.id] });
  const headers = { ETag: `The weak version of the ${noun}.`, Location: `The URL of the ${noun}.` };
  return {
    noun,
    path: `/scim/v2/${type}s`,
    idPath: `/scim/v2/${type}s/{id}`,
    params: z.object({ id }),
    current: { schema, headers, example },
  } as const;
}
