import { invalidRequest, type Issue } from '../../domain/errors.ts';
import type { RoutableBody, RoutingDefaults } from './routable-body.ts';
import { type Tool, toolsIn } from './tools-in.ts';

const MAX_ISSUES = 50;

/**
 * Throws 400 for plugins, server tools and options that this deployment does not support. Accepting them would mislead
 * the caller.
 */
export function refuseUnsupported(body: RoutableBody, defaults: RoutingDefaults): void {
  const issues: Issue[] = [];
  if (body.plugins) addPluginIssues(issues, body.plugins);
  for (const [path, tool] of toolsIn(body)) addToolIssue(issues, path, tool, defaults);
  if (body.fallbacks !== undefined && body.fallbacks !== null) {
    issues.push({ path: 'body.fallbacks', message: 'is not supported: name the models in models' });
  }
  if (body.debug?.echo_upstream_body === true) {
    issues.push({ path: 'body.debug.echo_upstream_body', message: 'is not offered' });
  }
  if (issues.length > 0) throw invalidRequest(...issues.slice(0, MAX_ISSUES));
}

function addPluginIssues(issues: Issue[], plugins: NonNullable<RoutableBody['plugins']>): void {
  for (const [i, { id, enabled }] of plugins.entries()) {
    if (enabled === false) continue;
    const message = `${id} is a plugin that this deployment does not run`;
    issues.push({ path: `body.plugins.${i}.id`, message });
  }
}

function addToolIssue(
  issues: Issue[],
  path: string,
  tool: Tool,
  { disabledServerTools }: RoutingDefaults,
): void {
  const type = tool?.type;
  if (typeof type !== 'string' || type === 'function' || !isServerTool(type)) return;
  const isDisabled = disabledServerTools?.includes(type) === true;
  const kind = type.startsWith(SERVER_TOOL) ? 'server' : 'hosted';
  const why = isDisabled
    ? 'is disabled in this workspace'
    : `is a ${kind} tool that this deployment does not run`;
  issues.push({ path: `${path}.type`, message: `${type} ${why}` });
}

const SERVER_TOOL = 'openrouter:';
/**
 * Matches tools that providers run themselves at a price apart from tokens, by their names in the Responses API and in
 * Anthropic's. The upstream accepts or refuses all other tools.
 */
const PRICED_APART = /^(web_search|code_execution|advisor)(_|$)/;

function isServerTool(type: string): boolean {
  return type.startsWith(SERVER_TOOL) || PRICED_APART.test(type);
}
