/** Translates tools in namespaces of a responses request to the flat list of tools that a chat has. */
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import type { FunctionNames } from './function-names.ts';

/**
 * Returns the tools of a responses request, with each namespace replaced by its functions. Each function occurs once.
 */
export function flatTools(tools: readonly Fields[], names: FunctionNames): Fields[] {
  return tools
    .flatMap((tool) => (tool['type'] === 'namespace' ? functionsOf(tool, names) : [tool]))
    .filter(firstOfEachName());
}

/** Returns a tool choice with the names that functions have in a chat. */
export function flatChoice(choice: unknown, tools: unknown, names: FunctionNames): unknown {
  if (!isFields(choice)) return choice;
  if (choice['type'] !== 'allowed_tools') return named(choice, names);
  const allowed = fieldsIn(choice['tools']).flatMap((one) =>
    one['type'] === 'namespace' ? functionsNamed(one, tools, names) : [named(one, names)],
  );
  return { ...choice, tools: allowed };
}

/**
 * Returns the functions of a namespace. Puts the namespace's description before that of its first function, because a
 * chat has no other place for it.
 */
function functionsOf(
  { name: namespace, description: ofGroup, tools }: Fields,
  names: FunctionNames,
): Fields[] {
  return fieldsIn(tools).map((tool, index) => {
    const texts = [index === 0 ? textOf(ofGroup) : '', textOf(tool['description'])].filter(
      (text) => text !== '',
    );
    return {
      ...tool,
      name: names.inChat(textOf(tool['name']), namespace),
      ...(texts.length === 0 ? {} : { description: texts.join('\n\n') }),
    };
  });
}

function functionsNamed({ name }: Fields, tools: unknown, names: FunctionNames): Fields[] {
  return fieldsIn(tools)
    .filter((tool) => tool['type'] === 'namespace' && tool['name'] === name)
    .flatMap((group) => functionsOf(group, names))
    .filter(firstOfEachName())
    .map((tool) => ({ type: 'function', name: tool['name'] }));
}

/**
 * Returns a filter that keeps the first tool of each name. Vendors refuse two functions with the same name, which two
 * namespaces with the same name or a repeated item with tools would cause.
 */
function firstOfEachName(): (tool: Fields) => boolean {
  const seen = new Set<unknown>();
  return ({ name }) => !seen.has(name) && seen.add(name).has(name);
}

function named({ namespace, ...choice }: Fields, names: FunctionNames): Fields {
  if (namespace === undefined) return choice;
  return { ...choice, name: names.inChat(textOf(choice['name']), namespace) };
}
