/** Removes or refuses tools that providers would run and charge for, in the Responses dialect. */
import { invalidRequest, type Issue } from '../../../domain/errors.ts';
import { UnsupportedFieldsError } from '../../../domain/unsupported-fields.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import {
  addsTools,
  allToolsIn,
  toolListsIn,
} from '../../../providers/dialects/responses/additional-tools.ts';
import { type Tool, toolsIn } from '../../routing/tools-in.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import type { ResponsesBody } from './responses-body.ts';

/** Tools of a responses request that the caller runs. Providers run all other tools and charge for them. */
const RUN_BY_CALLER = new Set([
  'function',
  'namespace',
  'custom',
  'local_shell',
  'apply_patch',
  'computer',
  'computer_use_preview',
]);

/** Matches the types of tools that may appear in a header. */
const PLAIN_TYPE = /^[\w.:-]{1,64}$/;
const MAX_DROPPED_TYPES = 50;
const MAX_ISSUES = 50;

/** A request after the removal of the hosted tools that it does not depend on. */
export interface WithoutHostedTools {
  body: ResponsesBody;
  /** The types of the removed tools, each once, in the order of the request. */
  dropped: string[];
}

/**
 * Removes the tools that a provider would run itself, because their price is not part of the price of tokens. When the
 * caller insists on one of them, all tools stay, and `refuseHostedTools` refuses the request.
 */
export function withoutHostedTools(body: ResponsesBody): WithoutHostedTools {
  const all = allToolsIn(body);
  const { tool_choice: choice } = body;
  const kept = all.filter((tool) => !isHosted(tool));
  const dropped = [...new Set(all.filter(isHosted).map(({ type }) => textOf(type)))];
  if (dropped.length === 0 || isForced(choice, kept) || !areNameable(dropped)) return { body, dropped: [] };
  const { tools, tool_choice: _choice, parallel_tool_calls: _parallel, ...withoutOptions } = body;
  const { tools: _tools, ...withOptions } = body;
  const own = callersOwn(tools);
  // Vendors refuse an empty list of tools, and options about tools without any tool.
  const remaining = {
    ...(kept.length === 0 ? withoutOptions : { ...withOptions, ...choiceAmong(choice) }),
    ...(own.length === 0 ? {} : { tools: own }),
    input: inputWith(body.input, callersOwn),
  };
  return { body: remaining as ResponsesBody, dropped };
}

function callersOwn(tools: unknown): Fields[] {
  return fieldsIn(tools).filter((tool) => !isHosted(tool));
}

/** Returns the input with its items, whose indexes stay, and with changed lists of tools in them. */
function inputWith(
  input: ResponsesBody['input'],
  change: (tools: unknown) => Tool[],
): ResponsesBody['input'] {
  if (typeof input === 'string') return input;
  return input.map((item) => (addsTools(item) ? { ...item, tools: change(item['tools']) } : item));
}

/**
 * Returns a request with null in place of each hosted tool of a removed type, so that the other tools keep their
 * indexes.
 */
export function clearHostedTools(body: ResponsesBody, dropped: readonly string[]): RoutableBody {
  if (dropped.length === 0) return body;
  const cleared = (tools: unknown): Tool[] =>
    (Array.isArray(tools) ? (tools as Tool[]) : []).map((tool) => (isHosted(tool) ? null : tool));
  const tools = cleared(body.tools) as RoutableBody['tools'];
  return { ...body, tools, input: inputWith(body.input, cleared) };
}

/** Rethrows a failure with the indexes of tools in the caller's request, which also contains the removed tools. */
export function rethrowWithCallerIndexes(body: ResponsesBody, error: unknown): never {
  if (!(error instanceof UnsupportedFieldsError)) throw error;
  const lists = new Map(toolListsIn(body));
  const inPlace = (whole: string, path: string, index: string): string => {
    const own = [...(lists.get(path) ?? []).entries()].filter(([, tool]) => !isHosted(tool));
    const place = own[Number(index)]?.[0];
    return place === undefined ? whole : `${path}.${place}`;
  };
  throw new UnsupportedFieldsError(
    error.issues.map(({ path, message }) => ({
      path: path.replace(/^(body\.(?:input\.\d+\.)?tools)\.(\d+)/, inPlace),
      message,
    })),
  );
}

/**
 * Throws a 400 that names the hosted tools of a request, also those in namespaces, in items of the input and in options
 * for one provider. Ignores the request's own tools of the types that were removed.
 */
export function refuseHostedTools(body: ResponsesBody, dropped: readonly string[]): void {
  const issues = toolsIn(body).flatMap(([path, tool]) =>
    issuesIn(tool, path, path.startsWith('body.provider.') ? [] : dropped),
  );
  if (issues.length > 0) throw invalidRequest(...issues.slice(0, MAX_ISSUES));
}

function issuesIn(tool: Tool, path: string, dropped: readonly string[] = []): Issue[] {
  const { type, tools: grouped } = (tool ?? {}) as Fields;
  if (isHosted(tool)) return dropped.includes(textOf(type)) ? [] : [hostedAt(`${path}.type`, textOf(type))];
  if (type !== 'namespace' || !Array.isArray(grouped)) return [];
  return (grouped as Tool[]).flatMap((one, index) => issuesIn(one, `${path}.tools.${index}`));
}

function hostedAt(path: string, type: string): Issue {
  return { path, message: `${type} is a hosted tool that this deployment does not run` };
}

/** Returns whether the caller insists on hosted tools, so that an answer without them would be wrong. */
function isForced(choice: unknown, kept: readonly { type?: unknown }[]): boolean {
  if (choice === 'required') return kept.every(isEmptyNamespace);
  if (!isFields(choice)) return false;
  const { type } = choice;
  if (type !== 'allowed_tools') return isHostedType(type) && kept.every((tool) => tool.type !== type);
  return choice['mode'] === 'required' && fieldsIn(choice['tools']).every(isHosted);
}

function isEmptyNamespace({ type, tools }: Fields): boolean {
  return type === 'namespace' && fieldsIn(tools).length === 0;
}

/** Returns the tool choice without hosted tools. */
function choiceAmong(choice: unknown): Fields {
  if (!isFields(choice) || choice['type'] !== 'allowed_tools') return {};
  const allowed = fieldsIn(choice['tools']).filter((tool) => !isHosted(tool));
  return { tool_choice: allowed.length === 0 ? 'none' : { ...choice, tools: allowed } };
}

function isHosted(tool: Tool): boolean {
  return tool !== null && isHostedType(tool.type) && !isRunByCaller(tool as Fields);
}

/** Returns whether the tool's own fields show that the caller runs it. Only some types have such fields. */
function isRunByCaller({ type, execution, environment }: Fields): boolean {
  if (type === 'tool_search') return execution === 'client';
  return type === 'shell' && isFields(environment) && environment['type'] === 'local';
}

function isHostedType(type: unknown): boolean {
  return typeof type === 'string' && type !== '' && !RUN_BY_CALLER.has(type);
}

function areNameable(types: readonly string[]): boolean {
  return types.length <= MAX_DROPPED_TYPES && types.every((type) => PLAIN_TYPE.test(type));
}
