import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { cohereErrorEnvelope } from '../../contract/live/cohere-error.ts';
import { SCIM_MEDIA_TYPE, scimError } from '../../contract/directory/scim-error.ts';
import { errorEnvelope } from '../../contract/errors.ts';
import { daemonErrorEnvelope } from '../../contract/interns/daemon-error.ts';
import { messagesErrorEnvelope } from '../../contract/live/messages-error.ts';
import {
  errorStatusesOf,
  type OperationDefinition,
  type ResponseDefinition,
} from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

const OPERATIONS: OperationDefinition[] = Object.values(operations);

/**
 * Holds a real answer against the contract: a declared status, the declared content type, and a body that has
 * every required field and none that is not declared. Throws an AssertionError otherwise. Reads a clone, and
 * only of JSON: files are left to the caller. Returns the id of the operation that succeeded, if one did.
 */
export async function auditAnswer(method: string, url: URL, response: Response): Promise<string | undefined> {
  const where = `${method} ${url.pathname} → ${response.status}`;
  ok(response.headers.get('x-request-id'), `${where}: no x-request-id`);
  const operation = findOperation(method, url.pathname);
  const isMessages = operation?.errorShape === 'messages';
  const isScim = `${url.pathname}/`.startsWith('/api/v1/scim/v2/');
  if (isMessages)
    strictEqual(response.headers.get('request-id'), response.headers.get('x-request-id'), where);
  if (operation?.rawBody !== undefined && response.headers.get('sluice-egress') === 'forwarded')
    return operation.id;
  const declared = operation?.responses[response.status];
  if (operation !== undefined && declared !== undefined) {
    await auditSuccess(where, declared, response, isScim ? SCIM_MEDIA_TYPE : JSON_TYPE);
    return operation.id;
  }
  if (operation !== undefined) {
    const statuses: number[] = errorStatusesOf(operation);
    ok(statuses.includes(response.status), `${where}: ${operation.id} does not declare it`);
  }
  if (method !== 'HEAD') {
    if (isMessages) await auditMessagesError(where, response);
    else if (isScim) await auditScimError(where, response);
    else if (operation?.errorShape === 'cohere') await auditCohereError(where, response);
    else
      await auditError(
        where,
        response,
        operation?.errorShape === 'daemon' ? daemonErrorEnvelope : errorEnvelope,
      );
  }
  return undefined;
}

async function auditSuccess(
  where: string,
  declared: ResponseDefinition,
  response: Response,
  jsonType: string,
): Promise<void> {
  const contentType = response.headers.get('content-type') ?? undefined;
  if (declared.schema === undefined) {
    const types: unknown[] = [declared.mediaType].flat();
    ok(types.includes(contentType), `${where}: ${contentType}`);
    return;
  }
  // Its events are left to the caller, as files are: `readEvents` holds each against the contract.
  if (declared.events !== undefined && contentType === 'text/event-stream; charset=utf-8') return;
  strictEqual(contentType, jsonType, where);
  const body = await readJson(response);
  // Parsing drops what the schema does not name, so equality finds undeclared fields.
  deepStrictEqual(declared.schema.parse(body), body, where);
}

async function auditError(
  where: string,
  response: Response,
  envelope: typeof errorEnvelope | typeof daemonErrorEnvelope,
): Promise<void> {
  strictEqual(response.headers.get('content-type'), JSON_TYPE, where);
  const body = await readJson(response);
  const { error } = envelope.parse(body);
  deepStrictEqual({ error }, body, where);
  strictEqual(error.code, response.status, where);
}

async function auditMessagesError(where: string, response: Response): Promise<void> {
  strictEqual(response.headers.get('content-type'), JSON_TYPE, where);
  const body = await readJson(response);
  const error = messagesErrorEnvelope.parse(body);
  deepStrictEqual(error, body, where);
  strictEqual(error.request_id, response.headers.get('x-request-id'), where);
}

async function auditCohereError(where: string, response: Response): Promise<void> {
  strictEqual(response.headers.get('content-type'), JSON_TYPE, where);
  const body = await readJson(response);
  deepStrictEqual(cohereErrorEnvelope.parse(body), body, where);
}

async function auditScimError(where: string, response: Response): Promise<void> {
  strictEqual(response.headers.get('content-type'), SCIM_MEDIA_TYPE, where);
  const body = await readJson(response);
  const error = scimError.parse(body);
  deepStrictEqual(error, body, where);
  strictEqual(error.status, `${response.status}`, where);
}

/** Parsed here rather than by fetch, whose objects come from outside Jest's realm and equal nothing in it. */
async function readJson(response: Response): Promise<unknown> {
  return JSON.parse(await response.clone().text());
}

function findOperation(method: string, path: string): OperationDefinition | undefined {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  const matching = OPERATIONS.filter((operation) => operation.method === asked && matches(operation, path));
  // Without parameters first: `/videos/models` is not a job's id.
  return matching.find((operation) => !operation.path.includes('{')) ?? matching[0];
}

function matches({ base, path: template }: OperationDefinition, path: string): boolean {
  const pattern =
    (base === 'root' ? '' : '/api/v1') +
    template.replace(/\/\{\w+…\}$/, '(?:/.*)?').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(path);
}
